// The list of a select box.
//
// Chromium draws it in a window of its own, which no screencast shows. So when a
// press has opened one, its options are read and offered here. A select box in a
// frame of another site is not reached; the arrow keys serve there.

const most = 1000; // options that are offered

// In the page: the select box that is open, if one is.
const find = `(() => {
  let element = document.activeElement;
  for (;;) {
    const inner = element?.shadowRoot?.activeElement ?? element?.contentDocument?.activeElement;
    if (!inner) break;
    element = inner;
  }
  return element?.matches?.('select:open') ? element : null;
})()`;

const read = `function (most) {
  return Array.from(this.options).slice(0, most).map(option => ({
    text: (option.label || option.text).trim(),
    group: option.parentElement.tagName === 'OPTGROUP' ? option.parentElement.label : '',
    disabled: option.disabled || option.parentElement.disabled === true,
    selected: option.selected,
  }));
}`;

const pick = `function (index) {
  this.blur();
  this.focus();
  if (index < 0 || index === this.selectedIndex) return;
  this.selectedIndex = index;
  this.dispatchEvent(new Event('input', {bubbles: true, composed: true}));
  this.dispatchEvent(new Event('change', {bubbles: true}));
}`;

export class Choices {
  #list;
  #stage;
  #send; // (method, params, session) → promise
  #done; // closes what is open, with the index that was picked

  constructor(list, stage, send) {
    this.#list = list;
    this.#stage = stage;
    this.#send = send;
    list.addEventListener('keydown', event => this.#key(event));
    list.addEventListener('click', event => {
      const option = event.target.closest('[role=option]');
      if (option && option.getAttribute('aria-disabled') !== 'true') this.close(Number(option.dataset.index));
    });
  }

  get open() { return this.#done !== undefined; }

  // offer looks whether a press at a place of this window has opened a select box.
  async offer(session, place) {
    const {result} = await this.#send('Runtime.evaluate', {expression: find}, session);
    if (result?.subtype !== 'node') return;
    const object = result.objectId;
    const call = (functionDeclaration, argument) => this.#send('Runtime.callFunctionOn', {
      objectId: object, functionDeclaration, arguments: [{value: argument}], returnByValue: true, userGesture: true,
    }, session);
    try {
      const options = (await call(read, most)).result.value;
      if (options?.length) await call(pick, await this.#choose(options, place));
    } finally {
      this.#send('Runtime.releaseObject', {objectId: object}, session).catch(() => {});
    }
  }

  // close takes the list away; without an index, nothing is picked.
  close(index = -1) { this.#done?.(index); }

  #choose(options, place) {
    this.close();
    this.#list.replaceChildren(...rows(options));
    this.#list.showPopover();
    const room = this.#list.getBoundingClientRect();
    this.#list.style.left = Math.max(8, Math.min(place.x, innerWidth - room.width - 8)) + 'px';
    this.#list.style.top = Math.max(8, Math.min(place.y + 12, innerHeight - room.height - 8)) + 'px';
    const selected = this.#list.querySelector('[aria-selected=true]') ?? this.#list.querySelector('[role=option]');
    selected.focus();
    return new Promise(resolve => {
      this.#done = index => {
        this.#done = undefined;
        this.#list.hidePopover();
        this.#list.replaceChildren();
        this.#stage.querySelector('textarea').focus({preventScroll: true});
        resolve(index);
      };
    });
  }

  #key(event) {
    const all = [...this.#list.querySelectorAll('[role=option]:not([aria-disabled=true])')];
    const at = all.indexOf(document.activeElement);
    const go = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1}[event.key];
    if (go !== undefined) all[Math.min(Math.max(go, 0), all.length - 1)]?.focus();
    else if (event.key === 'Enter' || event.key === ' ') document.activeElement.click();
    else if (event.key === 'Escape' || event.key === 'Tab') this.close();
    else if (event.key.length === 1) all.find(option => option.textContent.toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
    else return;
    event.preventDefault();
  }
}

function rows(options) {
  const rows = [];
  let group = '';
  options.forEach((option, index) => {
    if (option.group !== group) {
      group = option.group;
      const row = document.createElement('div');
      row.className = 'group';
      row.textContent = group;
      rows.push(row);
    }
    const row = document.createElement('div');
    row.setAttribute('role', 'option');
    row.tabIndex = -1;
    row.dataset.index = index;
    row.setAttribute('aria-selected', String(option.selected));
    row.setAttribute('aria-disabled', String(option.disabled));
    row.textContent = option.text || '\u00a0';
    rows.push(row);
  });
  return rows;
}

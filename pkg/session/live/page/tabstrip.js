// The row of tabs.

export class TabStrip {
  #list;
  #rows = new Map(); // tab id → its elements
  #on; // {show(tab), close(tab)}
  #mayClose;
  #tabs = [];

  constructor(list, on) {
    this.#list = list;
    this.#on = on;
    list.addEventListener('keydown', event => this.#key(event));
  }

  draw(tabs, shown, mayClose) {
    this.#tabs = tabs;
    // Without a tab nothing of the session is left to go on with.
    this.#mayClose = mayClose && tabs.length > 1;
    for (const [id, row] of this.#rows) {
      if (tabs.some(tab => tab.id === id)) continue;
      row.all.remove();
      this.#rows.delete(id);
    }
    for (const tab of tabs) this.#row(tab, tab === shown);
  }

  #row(tab, selected) {
    let row = this.#rows.get(tab.id);
    if (!row) {
      row = this.#newRow(tab.id);
      this.#rows.set(tab.id, row);
      this.#list.append(row.all);
    }
    const title = tab.crashed ? `${name(tab)} (crashed)` : name(tab);
    if (row.name.textContent !== title) row.name.textContent = title;
    row.tab.title = title;
    row.all.classList.toggle('loading', tab.loading);
    row.close.hidden = !this.#mayClose;
    row.close.setAttribute('aria-label', `Close ${title}`);
    if (selected && row.tab.getAttribute('aria-selected') !== 'true') row.all.scrollIntoView({block: 'nearest', inline: 'nearest'});
    row.tab.setAttribute('aria-selected', String(selected));
    row.tab.tabIndex = selected ? 0 : -1;
    row.all.classList.toggle('selected', selected);
  }

  #newRow(id) {
    const all = document.createElement('div');
    all.className = 'tab';
    all.setAttribute('role', 'presentation');
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', 'stage');
    const name = document.createElement('span');
    tab.append(name);
    const close = document.createElement('button');
    close.type = 'button';
    close.className = 'icon';
    close.title = 'Close';
    close.append(icon('cross'));
    const self = () => this.#tabs.find(tab => tab.id === id);
    tab.addEventListener('click', () => this.#on.show(self()));
    tab.addEventListener('auxclick', event => { if (event.button === 1 && this.#mayClose) this.#on.close(self()); });
    close.addEventListener('click', () => this.#on.close(self()));
    all.append(tab, close);
    return {all, tab, name, close};
  }

  #key(event) {
    const at = this.#tabs.findIndex(tab => this.#rows.get(tab.id).tab === document.activeElement);
    if (at < 0) return;
    const go = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: this.#tabs.length - 1}[event.key];
    if (go !== undefined) {
      const next = this.#tabs[(go + this.#tabs.length) % this.#tabs.length];
      this.#rows.get(next.id).tab.focus();
      this.#on.show(next);
    } else if (event.key === 'Delete' && this.#mayClose) {
      this.#on.close(this.#tabs[at]);
    } else {
      return;
    }
    event.preventDefault();
  }
}

function name(tab) {
  if (tab.title && tab.title !== 'about:blank') return tab.title;
  return !tab.url || tab.url === 'about:blank' ? 'New tab' : tab.url;
}

function icon(id) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const use = document.createElementNS(space, 'use');
  use.setAttribute('href', '#i-' + id);
  svg.append(use);
  return svg;
}

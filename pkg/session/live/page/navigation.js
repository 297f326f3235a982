// Address, back, forward and reload of the shown tab.

export class Navigation {
  #send; // (method, params) → promise, to the shown tab
  #say;
  #parts;
  #tab;
  #entries = {before: undefined, after: undefined};

  constructor(parts, send, say) {
    this.#parts = parts;
    this.#send = send;
    this.#say = say;
    parts.form.addEventListener('submit', event => { event.preventDefault(); this.#go(); });
    parts.address.addEventListener('focus', () => parts.address.select());
    parts.address.addEventListener('blur', () => this.#write());
    parts.address.addEventListener('keydown', event => { if (event.key === 'Escape') this.#write(true); });
    parts.back.addEventListener('click', () => this.back());
    parts.forward.addEventListener('click', () => this.forward());
    parts.reload.addEventListener('click', () => this.reload());
  }

  // show is called when another tab is shown, and when its address has changed.
  async show(tab) {
    if (tab !== this.#tab) this.#parts.address.blur();
    this.#tab = tab;
    this.#write();
    this.#offer(undefined, undefined);
    if (!tab?.session) return;
    try {
      const {currentIndex, entries} = await this.#send('Page.getNavigationHistory');
      if (tab === this.#tab) this.#offer(entries[currentIndex - 1], entries[currentIndex + 1]);
    } catch {
      // The buttons stay as they are: there is nothing to go to that is known.
    }
  }

  focus() { this.#parts.address.focus(); }

  back() { this.#enter(this.#entries.before); }

  forward() { this.#enter(this.#entries.after); }

  reload() { this.#send('Page.reload').catch(error => this.#say(error.message)); }

  #enter(entry) {
    if (entry) this.#send('Page.navigateToHistoryEntry', {entryId: entry.id}).catch(error => this.#say(error.message));
  }

  #offer(before, after) {
    this.#entries = {before, after};
    this.#parts.back.disabled = !before;
    this.#parts.forward.disabled = !after;
  }

  // An address that is being typed is left alone.
  #write(anyway = false) {
    if (!anyway && document.activeElement === this.#parts.address) return;
    const url = this.#tab?.url ?? '';
    this.#parts.address.value = url === 'about:blank' ? '' : url;
    if (anyway) this.#parts.address.select();
  }

  async #go() {
    const url = complete(this.#parts.address.value);
    if (!url) return this.#say('That is not an address. Type one such as example.com.');
    this.#parts.address.value = url;
    this.#parts.address.blur();
    try {
      const {errorText} = await this.#send('Page.navigate', {url});
      if (errorText && errorText !== 'net::ERR_ABORTED') this.#say(`The page could not be opened (${errorText}).`);
    } catch (error) {
      this.#say(`The page could not be opened: ${error.message}`);
    }
  }
}

// complete makes an address of what was typed; '' if it cannot be one.
export function complete(typed) {
  const text = typed.trim();
  if (!text || /\s/.test(text)) return '';
  if (/^(https?:\/\/|about:|data:|blob:)/i.test(text)) return text;
  const host = text.split(/[/?#]/)[0];
  const local = /^(localhost|\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\])(:\d+)?$/i.test(host);
  if (local) return 'http://' + text;
  if (/^[^:@]+\.[^:.@]+(:\d+)?$/.test(host)) return 'https://' + text;
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : ''; // the server says what is not allowed
}

// All that only who is in control has: mouse and keyboard, addresses, new tabs,
// pasting, sharing, stopping.

import {Pointer} from './pointer.js';
import {Keyboard} from './keyboard.js';
import {Navigation} from './navigation.js';
import {Viewport} from './viewport.js';
import {Prompts} from './prompts.js';
import {Choices} from './choices.js';
import {ask} from './ask.js';
import {copy} from './copy.js';
import {say} from './notice.js';
import {Gone} from './session.js';

const part = id => document.getElementById(id);

export class Control {
  #session;
  #onstopped;
  #connection;
  #tabs;
  #keyboard;
  #navigation;
  #viewport;
  #choices;

  constructor(session, screen, onstopped) {
    this.#session = session;
    this.#onstopped = onstopped;
    const toTab = (method, params) => this.#toTab(method, params);
    const quietly = (method, params) => toTab(method, params).catch(() => {});
    this.#keyboard = new Keyboard(part('keys'), quietly, shortcut => this.#shortcut(shortcut));
    this.#navigation = new Navigation({
      form: part('go'), address: part('address'), back: part('go-back'), forward: part('go-forward'), reload: part('go-reload'),
    }, toTab, say);
    this.#viewport = new Viewport(part('stage'), part('fit'), (...command) => this.#send(...command).then(() => screen.renew(), () => {}));
    this.#choices = new Choices(part('choices'), part('stage'), (...command) => this.#send(...command));
    new Pointer(part('picture'), screen, quietly, {
      onpress: finger => this.#pressed(finger),
      onrelease: (done, place) => this.#released(done, place),
    });
    this.#buttons();
  }

  connect(connection, tabs) {
    this.#connection = connection;
    this.#tabs = tabs;
    new Prompts(connection);
  }

  disconnect() {
    this.#connection = this.#tabs = undefined;
    this.#choices.close();
    this.#viewport.show(undefined);
    this.#navigation.show(undefined);
  }

  shown(tab) {
    this.#choices.close();
    this.#viewport.show(tab.session);
    this.#navigation.show(tab);
    // Typing goes to the page at once; a telephone's keyboard would cover half of it.
    if (!matchMedia('(pointer: coarse)').matches && document.activeElement === document.body) this.#keyboard.focus();
  }

  detached(session) { this.#viewport.forget(session); }

  moved(tab) { this.#navigation.show(tab); }

  changed(tab) {
    if (!tab) this.#navigation.show(undefined);
  }

  resized() { this.#viewport.apply(); }

  reload(tab) { this.#send('Page.reload', {}, tab.session).catch(error => say(error.message)); }

  #send(...command) { return this.#connection?.send(...command) ?? Promise.reject(new Error('The connection was lost.')); }

  #toTab(method, params) {
    const session = this.#tabs?.shown?.session;
    return session ? this.#send(method, params, session) : Promise.reject(new Error('No tab is shown.'));
  }

  #pressed(finger) {
    this.#choices.close();
    this.#menu(false);
    if (!finger) this.#keyboard.focus();
  }

  async #released(done, place) {
    const session = this.#tabs?.shown?.session;
    await done;
    await this.#choices.offer(session, place).catch(() => {}); // the page may be on its way to another
  }

  #shortcut(shortcut) {
    switch (shortcut) {
    case 'leave': case 'address': return this.#navigation.focus();
    case 'reload': return this.#navigation.reload();
    case 'back': return this.#navigation.back();
    case 'forward': return this.#navigation.forward();
    case 'copy': return copy((...command) => this.#toTab(...command)).catch(() => say('The clipboard is closed to this page.'));
    case 'tooLong': return say('That is too much text to paste at once.');
    }
  }

  #buttons() {
    const on = (id, act) => part(id).addEventListener('click', () => { this.#menu(false); act(); });
    part('more-actions').addEventListener('click', () => this.#menu(part('more-actions').getAttribute('aria-expanded') !== 'true'));
    part('actions').addEventListener('keydown', event => { if (event.key === 'Escape') this.#menu(false); });
    on('new-tab', () => this.#tabs?.open('about:blank').then(() => this.#navigation.focus()).catch(error => say(error.message)));
    on('paste', () => this.#paste());
    on('fit', () => {});
    on('share', () => this.#share());
    on('end', () => this.#stop());
    // Taking the focus would close the telephone's keyboard before the button is asked to.
    part('type').addEventListener('pointerdown', event => event.preventDefault());
    part('type').addEventListener('mousedown', event => event.preventDefault());
    part('type').addEventListener('click', () => (this.#keyboard.focused ? part('keys').blur() : this.#keyboard.focus()));
    for (const type of ['focus', 'blur']) {
      part('keys').addEventListener(type, () => part('type').setAttribute('aria-pressed', String(this.#keyboard.focused)));
    }
  }

  #menu(open) {
    part('more-actions').setAttribute('aria-expanded', String(open));
    part('actions').classList.toggle('open', open);
  }

  // paste takes the clipboard if the browser lets it, else what is put into a sheet.
  async #paste() {
    let text;
    try {
      text = await navigator.clipboard.readText();
    } catch {
      text = await ask({title: 'Paste into the page', text: 'Put the text here; it goes to where the page’s caret is.', field: '', lines: 4, yes: 'Paste'});
    }
    if (text) this.#keyboard.insert(text);
    if (!matchMedia('(pointer: coarse)').matches) this.#keyboard.focus();
  }

  async #share() {
    let url;
    try {
      ({url} = await this.#session.view());
    } catch (error) {
      return error instanceof Gone ? this.#onstopped() : say('The link could not be made. Try again.');
    }
    const text = 'Whoever has it sees what happens in this session until it ends, and can do nothing in it.';
    if (await ask({title: 'Link to view the session', text, field: url, lines: 4, readonly: true, yes: 'Copy', no: 'Close'}) === undefined) return;
    try {
      await navigator.clipboard.writeText(url);
      say('The link is in your clipboard.');
    } catch {
      say('The clipboard is closed to this page. Select the link and copy it.');
    }
  }

  async #stop() {
    const text = 'Its browser is closed, for everybody who is connected.';
    if (await ask({title: 'Stop the session?', text, yes: 'Stop', danger: true}) === undefined) return;
    try {
      await this.#session.stop();
    } catch (error) {
      if (!(error instanceof Gone)) return say('The session could not be stopped. Try again.');
    }
    this.#onstopped();
  }
}

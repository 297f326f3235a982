// The page of a session: connects, shows, connects again, and ends.

import {Session, Gone} from './session.js';
import {Connection} from './connection.js';
import {Tabs} from './tabs.js';
import {TabStrip} from './tabstrip.js';
import {Screen} from './screen.js';
import {StatusLine} from './status.js';
import {Control} from './control.js';
import {aboveKeyboard} from './viewport.js';
import {dismiss} from './ask.js';
import {notice, clearNotice, trouble, say, ending} from './notice.js';

const statusEvery = 10_000; // milliseconds
const pauses = [500, 1000, 2000, 4000, 8000]; // milliseconds before each further try
const giveUp = 60; // tries in a row without an answer

const part = id => document.getElementById(id);

class Page {
  #session = new Session(location);
  #screen = new Screen(part('picture'), part('stage'));
  #strip = new TabStrip(part('tablist'), {
    show: tab => this.#tabs?.show(tab).catch(error => say(error.message)),
    close: tab => this.#tabs?.close(tab).catch(error => say(error.message)),
  });
  #status = new StatusLine({time: part('time'), left: part('time-left'), people: part('people'), count: part('people-count'), list: part('client-list')});
  #control; // of who may do more than look on
  #tabs;
  #before = {order: []}; // what was shown until the connection was lost
  #ended = false;

  async run() {
    if (!this.#session.hasTicket) return this.#end('This link is incomplete', 'Open the whole link that you were given, with all that follows the # sign.');
    this.#screen.addEventListener('picture', () => { if (!this.#tabs?.shown?.crashed) clearNotice(); });
    this.#screen.addEventListener('visible', ({detail: visible}) => this.#visible(visible));
    this.#screen.addEventListener('resize', () => this.#control?.resized());
    let failures = 0;
    for (let first = true; !this.#ended; first = false) {
      try {
        const reason = await this.#connected();
        failures = 0;
        await this.#afterClose(reason);
      } catch (error) {
        if (error instanceof Gone) return this.#gone(first, '');
        if (++failures > giveUp) return this.#end('No connection', 'The server cannot be reached. Reload this page to try again.');
      }
      if (this.#ended) return;
      trouble('The connection was lost. Trying again…');
      await new Promise(resolve => setTimeout(resolve, pauses[Math.min(failures, pauses.length - 1)]));
    }
  }

  // connected shows the session until the connection ends, and returns the reason
  // that the server gave.
  async #connected() {
    const status = await this.#session.status();
    const mayControl = status.purpose === 'control';
    this.#purpose(mayControl, status);
    const connection = await Connection.open(this.#session.socketURL);
    const tabs = new Tabs(connection, mayControl, this.#before);
    this.#tabs = tabs;
    this.#screen.connect(connection);
    this.#control?.connect(connection, tabs);
    tabs.addEventListener('change', () => this.#change(tabs));
    tabs.addEventListener('shown', ({detail}) => this.#shown(detail.tab));
    tabs.addEventListener('moved', ({detail}) => this.#control?.moved(detail.tab));
    tabs.addEventListener('detached', ({detail}) => this.#detached(detail.session));
    tabs.addEventListener('crash', ({detail}) => this.#crashed(detail.tab));
    tabs.addEventListener('empty', () => this.#empty());
    const timer = setInterval(() => this.#poll(connection, tabs), statusEvery);
    try {
      await tabs.start();
      trouble('');
      this.#poll(connection, tabs);
      return await connection.closed;
    } finally {
      clearInterval(timer);
      connection.close();
      this.#tabs = undefined;
      this.#screen.show(undefined);
      this.#control?.disconnect();
    }
  }

  #purpose(mayControl, status) {
    document.body.dataset.state = 'live';
    document.body.classList.toggle('may-control', mayControl);
    part('view-only').hidden = mayControl;
    if (mayControl) this.#control ??= new Control(this.#session, this.#screen, () => this.#gone(false, 'released'));
    this.#status.show(status);
  }

  // poll asks for the status, and the browser for a sign of life: a connection
  // that has died without a word is given up.
  async #poll(connection, tabs) {
    try {
      this.#status.show(await this.#session.status());
    } catch (error) {
      if (error instanceof Gone) connection.close();
      return;
    }
    tabs.refresh().catch(error => { if (/does not answer/.test(error.message)) connection.close(); });
  }

  async #afterClose(reason) {
    if (this.#ended) return;
    try {
      this.#status.show(await this.#session.status());
    } catch (error) {
      if (error instanceof Gone) this.#gone(false, reason);
    }
  }

  #change(tabs) {
    if (tabs !== this.#tabs) return;
    this.#before.order = tabs.all.map(tab => tab.id);
    this.#strip.draw(tabs.all, tabs.shown, document.body.classList.contains('may-control'));
    part('progress').hidden = !tabs.shown?.loading;
    this.#control?.changed(tabs.shown);
  }

  #shown(tab) {
    this.#before.shown = tab.id;
    this.#screen.show(tab.session);
    if (tab.crashed) this.#crashed(tab);
    else notice({title: 'Waiting for the picture', busy: true});
    this.#control?.shown(tab);
  }

  #detached(session) {
    this.#screen.forget(session);
    this.#control?.detached(session);
  }

  #visible(visible) {
    if (visible || this.#tabs?.shown?.crashed) return;
    notice({title: 'In the background', text: 'This tab has a picture once it is brought to the front.'});
  }

  #crashed(tab) {
    this.#screen.blank();
    const mayControl = document.body.classList.contains('may-control');
    notice({
      title: 'This tab has crashed', text: mayControl ? 'Reload it to go on.' : 'Whoever is in control can reload it.',
      action: mayControl ? 'Reload' : '', act: () => this.#control?.reload(tab),
    });
  }

  #empty() {
    this.#screen.show(undefined);
    const mayControl = document.body.classList.contains('may-control');
    notice({
      title: 'No tab is open', text: '', action: mayControl ? 'Open a tab' : '',
      act: () => this.#tabs?.open('about:blank').catch(error => say(error.message)),
    });
  }

  #gone(first, reason) {
    if (first) this.#end('This link does not work', 'The session has ended, or the link is not complete.');
    else this.#end('The session has ended', ending(reason));
  }

  #end(title, text) {
    if (this.#ended) return;
    this.#ended = true;
    this.#screen.show(undefined);
    document.body.dataset.state = 'ended';
    document.body.classList.remove('may-control');
    part('view-only').hidden = true;
    this.#status.hide();
    trouble('');
    dismiss();
    notice({title, text});
  }
}

aboveKeyboard();
addEventListener('hashchange', () => location.reload());
await new Page().run();

// One connection to the session's browser: commands of the DevTools protocol and
// their answers by number, events to whoever listens.

const patience = 15_000; // milliseconds for an answer, and for the connection itself
const mostUnderWay = 200; // commands; a page that asks for more is behind, not busy

export class Connection {
  #socket;
  #last = 0;
  #underWay = new Map(); // number → {resolve, reject, timer}
  #listeners = [];

  // closed is fulfilled with the reason that the server gave, or ''.
  closed;

  static open(url) {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      const timer = setTimeout(() => socket.close(), patience);
      const connection = new Connection(socket);
      socket.addEventListener('open', () => { clearTimeout(timer); resolve(connection); });
      connection.closed.then(() => { clearTimeout(timer); reject(new Error('The connection could not be made.')); });
    });
  }

  constructor(socket) {
    this.#socket = socket;
    socket.addEventListener('message', message => this.#receive(JSON.parse(message.data)));
    this.closed = new Promise(resolve => socket.addEventListener('close', event => resolve(event.reason)));
    this.closed.then(() => {
      for (const command of this.#underWay.values()) {
        clearTimeout(command.timer);
        command.reject(new Error('The connection was lost.'));
      }
      this.#underWay.clear();
    });
  }

  // listen hands each event over, as (method, params, session), in order.
  listen(listener) { this.#listeners.push(listener); }

  // send carries out a command and returns its result. It fails when the browser
  // refuses it, when no answer comes in time, and when the connection goes.
  send(method, params = {}, session = undefined) {
    if (this.#socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('The connection was lost.'));
    if (this.#underWay.size >= mostUnderWay) return Promise.reject(new Error('The browser is behind.'));
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#underWay.delete(id);
        reject(new Error('The browser does not answer.'));
      }, patience);
      this.#underWay.set(id, {resolve, reject, timer});
      this.#socket.send(JSON.stringify({id, method, params, sessionId: session}));
    });
  }

  // tell is send for who does not need to know how it went.
  tell(method, params, session) { this.send(method, params, session).catch(() => {}); }

  close() { this.#socket.close(); }

  #receive(message) {
    if (message.id === undefined) {
      for (const listener of this.#listeners) listener(message.method, message.params ?? {}, message.sessionId);
      return;
    }
    const command = this.#underWay.get(message.id);
    if (!command) return;
    this.#underWay.delete(message.id);
    clearTimeout(command.timer);
    if (message.error) command.reject(new Error(message.error.message));
    else command.resolve(message.result ?? {});
  }
}

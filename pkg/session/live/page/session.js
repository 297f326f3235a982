// The session as the server knows it: what this ticket may do, who is there,
// how long it lasts.

const patience = 15_000; // milliseconds for an answer

// Gone says that the session has ended, or never was, or that the ticket is none of its.
export class Gone extends Error {}

export class Session {
  #base;
  #ticket;

  // The page is at <base>/live#<ticket>. The fragment is told to no server; the
  // ticket is in this object and nowhere else.
  constructor(location) {
    this.#base = location.origin + location.pathname.replace(/\/live\/?$/, '');
    this.#ticket = location.hash.slice(1);
  }

  get hasTicket() { return this.#ticket !== ''; }

  get socketURL() {
    return this.#base.replace(/^http/, 'ws') + '/devtools/browser/' + encodeURIComponent(this.#ticket);
  }

  // status is {purpose, now, expires, clients: [{purpose, since}]}.
  status() { return this.#call('GET', '/status'); }

  // view makes a link for somebody to look on: {url}.
  view() { return this.#call('POST', '/view'); }

  // stop ends the session for everybody.
  stop() { return this.#call('POST', '/stop'); }

  async #call(method, path) {
    const response = await fetch(this.#base + path, {
      method,
      headers: {Authorization: 'Bearer ' + this.#ticket},
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(patience),
    });
    if ([401, 403, 404, 410].includes(response.status)) throw new Gone();
    if (!response.ok) throw new Error(`The server answered with status ${response.status}.`);
    const text = await response.text();
    return text ? JSON.parse(text) : {};
  }
}

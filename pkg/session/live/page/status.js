// Time left and who is connected.

const soon = 120; // seconds from which the time left stands out

export class StatusLine {
  #parts;
  #ends; // on this machine's steady clock, in milliseconds

  constructor(parts) {
    this.#parts = parts;
    setInterval(() => this.#tick(), 1000);
  }

  // show takes what the server has told.
  show(status) {
    // The two clocks may differ: only what is left counts, on a clock that nobody sets.
    this.#ends = performance.now() + (Date.parse(status.expires) - Date.parse(status.now));
    this.#parts.time.hidden = false;
    this.#parts.time.title = 'The session ends at ' + hour(status.expires);
    this.#tick();
    const count = status.clients.length;
    this.#parts.people.hidden = false;
    this.#parts.count.textContent = String(count);
    this.#parts.people.title = count === 1 ? '1 connected' : `${count} connected`;
    this.#parts.people.setAttribute('aria-label', this.#parts.people.title);
    this.#parts.list.replaceChildren(...status.clients.map(client => {
      const row = document.createElement('li');
      row.append(span(client.purpose === 'view' ? 'Looks on' : 'In control'), span('since ' + hour(client.since)));
      return row;
    }));
  }

  hide() {
    this.#ends = undefined;
    this.#parts.time.hidden = this.#parts.people.hidden = true;
    this.#parts.list.parentElement.hidePopover();
  }

  #tick() {
    if (this.#ends === undefined) return;
    const seconds = Math.max(0, Math.round((this.#ends - performance.now()) / 1000));
    const minutes = Math.floor(seconds / 60);
    this.#parts.left.textContent = minutes >= 60
      ? `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
      : `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
    this.#parts.time.classList.toggle('soon', seconds <= soon);
  }
}

function hour(time) { return new Date(time).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit'}); }

function span(text) {
  const element = document.createElement('span');
  element.textContent = text;
  return element;
}

// What is told to the person: in the place of the picture, above it, or shortly.

const part = id => document.getElementById(id);
const toastTime = 6_000; // milliseconds

let toastTimer;

// notice stands in the place of the picture: {title, text, busy, action, act}.
export function notice({title, text = '', busy = false, action = '', act}) {
  part('notice').hidden = false;
  part('notice').classList.toggle('busy', busy);
  part('notice-title').textContent = title;
  part('notice-text').textContent = text;
  part('notice-action').hidden = !action;
  part('notice-action').textContent = action;
  part('notice-action').onclick = act ?? null;
}

export function clearNotice() { part('notice').hidden = true; }

// trouble stands above the picture until it is over; '' ends it.
export function trouble(text) {
  part('trouble').hidden = !text;
  part('trouble').textContent = text;
}

// say is told once.
export function say(text) {
  clearTimeout(toastTimer);
  part('toast').textContent = text;
  part('toast').hidden = false;
  toastTimer = setTimeout(() => { part('toast').hidden = true; }, toastTime);
}

const endings = {
  released: 'It was stopped.',
  stopped: 'An operator stopped it.',
  idle: 'Nobody was connected for some time.',
  expired: 'Its time was over.',
  unlinked: 'The account was unlinked.',
  revoked: 'The access that it was opened with was withdrawn.',
  shutdown: 'The server that held it was stopped.',
  lost: 'Its browser stopped working.',
};

// ending says why a session has ended: reason is one of event.SessionClosed's.
export function ending(reason) {
  return `${endings[reason] ?? 'It was stopped, or its time was over.'} You can close this page.`;
}

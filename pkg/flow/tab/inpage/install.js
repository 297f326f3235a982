// The last part: what the gateway calls, and word to it that the document is
// there. tell is a binding that only this world of the page can see.

globalThis.gateway = {wait, stop, settle, baseline, place, through, isOver, ask, stored, address: () => location.href};

if (window === window.top) {
  tell('hello');
  // A document that history brings back runs no script anew.
  addEventListener('pageshow', event => { if (event.persisted) tell('hello'); });
}

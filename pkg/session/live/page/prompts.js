// What a page asks with alert, confirm, prompt, and before it is left: the page
// stands still until somebody has answered.

import {ask} from './ask.js';

export class Prompts {
  #connection;
  #open = new Map(); // session → AbortController of its question

  constructor(connection) {
    this.#connection = connection;
    connection.listen((method, params, session) => {
      if (method === 'Page.javascriptDialogOpening') this.#opened(session, params);
      if (method === 'Page.javascriptDialogClosed') this.#closed(session);
    });
    connection.closed.then(() => { for (const session of this.#open.keys()) this.#closed(session); });
  }

  async #opened(session, {type, message, url, defaultPrompt = ''}) {
    this.#closed(session);
    const withdrawn = new AbortController();
    this.#open.set(session, withdrawn);
    const answer = await ask({...wording(type, message, url, defaultPrompt), signal: withdrawn.signal});
    if (withdrawn.signal.aborted) return; // another client has answered
    this.#open.delete(session);
    this.#connection.tell('Page.handleJavaScriptDialog', {accept: answer !== undefined, promptText: answer ?? ''}, session);
  }

  #closed(session) {
    this.#open.get(session)?.abort();
    this.#open.delete(session);
  }
}

function wording(type, message, url, initial) {
  const title = `${host(url)} says`;
  switch (type) {
  case 'beforeunload':
    return {title: 'Leave this page?', text: 'What was changed on it may not be saved.', yes: 'Leave', no: 'Stay'};
  case 'prompt':
    return {title, text: message, field: initial};
  case 'confirm':
    return {title, text: message};
  default:
    return {title, text: message, no: ''};
  }
}

function host(url) {
  try {
    return new URL(url).host || 'The page';
  } catch {
    return 'The page';
  }
}

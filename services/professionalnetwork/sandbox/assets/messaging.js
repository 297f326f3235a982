// The messaging overlay: a list of threads, and one conversation, which is
// open again on the next page.

const token = document.querySelector('meta[name=csrf-token]').content;

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

async function ask(path, init = {}) {
  const response = await fetch('/api/threads' + path, {...init, headers: {'X-CSRF-Token': token, 'Content-Type': 'application/json'}});
  if (response.status === 401) {
    location.assign('/sign-in?' + new URLSearchParams({return: location.pathname}));
    return new Promise(() => {}); // this page is left
  }
  return {ok: response.ok, ...await response.json()};
}

class MessagingOverlay extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({mode: 'open'});
    this.list = make('ul', {class: 'threads', hidden: ''});
    const toggle = make('button', {class: 'toggle', type: 'button', onclick: () => this.toggle()}, 'Messaging');
    this.place = make('div', {class: 'place'});
    root.append(make('link', {rel: 'stylesheet', href: '/assets/messaging.css'}), this.place,
      make('section', {class: 'panel', 'aria-label': 'Messaging'}, toggle, this.list));
    const last = sessionStorage.getItem('conversation');
    if (last) this.show(last);
    for (const button of document.querySelectorAll('button[data-to]')) {
      button.addEventListener('click', () => this.open(button.dataset.to));
      button.disabled = false;
    }
  }

  async toggle() {
    this.list.hidden = !this.list.hidden;
    if (this.list.hidden) return;
    const {threads} = await ask('');
    this.list.replaceChildren(...threads.map(thread => make('li', {},
      make('button', {type: 'button', onclick: () => this.open(thread.name)}, make('strong', {}, thread.fullName), make('span', {}, thread.last)))));
  }

  async open(name) {
    sessionStorage.setItem('conversation', name);
    await this.show(name);
    document.dispatchEvent(new CustomEvent('conversation'));
  }

  async show(name) {
    const conversation = new Conversation(name, () => this.close());
    this.place.replaceChildren(conversation.box);
    await conversation.load();
  }

  close() {
    sessionStorage.removeItem('conversation');
    this.place.replaceChildren();
  }
}

class Conversation {
  constructor(name, close) {
    this.name = name;
    this.title = make('a', {href: '/in/' + name}, '…');
    this.earlier = make('button', {class: 'earlier', type: 'button', hidden: '', onclick: () => this.loadEarlier()}, 'Show earlier messages');
    this.messages = make('ol', {class: 'messages', 'aria-label': 'Messages'});
    this.words = make('div', {});
    this.editor = make('div', {class: 'editor', contenteditable: 'plaintext-only', role: 'textbox', 'aria-multiline': 'true', 'aria-label': 'Write a message', 'data-hint': 'Write a message …',
      oninput: () => this.enable(), onkeydown: event => this.press(event)});
    this.button = make('button', {class: 'send', type: 'button', disabled: '', onclick: () => this.send()}, 'Send');
    this.box = make('section', {class: 'conversation', 'data-with': name, 'data-state': 'loading', 'aria-label': 'Conversation'},
      make('header', {}, this.title, make('button', {class: 'close', type: 'button', 'aria-label': 'Close conversation', onclick: close}, '×')),
      make('div', {class: 'scroll'}, this.earlier, this.messages), this.words, make('div', {class: 'composer'}, this.editor, this.button));
  }

  async load() {
    const thread = await ask('/' + encodeURIComponent(this.name)).catch(() => ({}));
    if (!thread.ok) {
      this.box.dataset.state = 'failed';
      this.say('failure', thread.error ?? 'This conversation cannot be shown at present.');
      return;
    }
    this.title.textContent = thread.with.fullName;
    this.messages.append(...thread.messages.map(message => this.line(message)));
    this.earlier.hidden = !thread.earlier;
    this.box.dataset.state = 'ready';
    this.messages.lastElementChild?.scrollIntoView({block: 'end'});
  }

  async loadEarlier() {
    const first = this.messages.firstElementChild.dataset.id;
    const page = await ask(`/${encodeURIComponent(this.name)}?before=${first}`);
    this.messages.prepend(...page.messages.map(message => this.line(message)));
    this.earlier.hidden = !page.earlier;
  }

  line({id, mine, text, at}) {
    return make('li', {class: mine ? 'message mine' : 'message', ...(id && {'data-id': id}), 'data-state': id ? 'sent' : 'sending'},
      make('p', {class: 'text'}, text), make('time', {datetime: at}, new Date(at).toLocaleString('en-US', {dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC'})));
  }

  say(kind, words) {
    this.words.replaceChildren(make('p', {class: kind, role: 'alert'}, words));
  }

  // The editor has a box for each line but the first; a <br> keeps an empty one
  // open.
  text() {
    return [...this.editor.childNodes].map((node, at) => {
      if (node.nodeType === Node.TEXT_NODE) return node.data;
      if (node.tagName === 'BR') return node.nextSibling?.nodeType === Node.TEXT_NODE || node.nextSibling?.tagName === 'BR' ? '\n' : '';
      return (at > 0 ? '\n' : '') + node.textContent;
    }).join('');
  }

  enable() {
    this.button.disabled = this.text().trim() === '';
  }

  press(event) {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    if (!this.button.disabled) this.send();
  }

  // A message shows at once, and tells afterwards what became of it.
  async send() {
    const text = this.text();
    this.button.disabled = true;
    this.words.replaceChildren();
    const line = this.line({mine: true, text, at: new Date().toISOString()});
    this.messages.append(line);
    line.scrollIntoView({block: 'end'});
    let answer;
    try {
      answer = await ask(`/${encodeURIComponent(this.name)}/messages`, {method: 'POST', body: JSON.stringify({text})});
    } catch {
      line.dataset.state = 'unknown';
      this.say('failure', 'No answer. Look at the conversation again before you send this once more.');
      return;
    }
    if (!answer.ok) {
      line.remove();
      this.say('refusal', answer.error);
      this.enable();
      return;
    }
    line.dataset.id = answer.id;
    line.dataset.state = 'sent';
    this.editor.textContent = '';
  }
}

customElements.define('messaging-overlay', MessagingOverlay);

// What all parts of the pages share.

import sheet from '/assets/parts.css' with {type: 'css'};

// make builds an element. A function as an attribute listens to the event of
// that name; what is empty is left out.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value || value === 0) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter(child => child || child === 0));
  return element;
}

// open gives a part its shadow root.
export function open(host) {
  const root = host.attachShadow({mode: 'open'});
  root.adoptedStyleSheets = [sheet];
  return root;
}

// Refusal is a no of the shop's, in words for the buyer.
export class Refusal extends Error {}

// ask gets data from the shop, or sends it some. Whoever is not signed in any
// more is led to the sign-in.
export async function ask(address, body) {
  const options = body && {
    method: 'POST',
    headers: {'Content-Type': 'application/json', 'X-CSRF-Token': document.querySelector('meta[name=csrf-token]').content},
    body: JSON.stringify(body),
  };
  const answer = await fetch(address, options);
  if (answer.status === 401) {
    location.assign('/sign-in?return=' + encodeURIComponent(location.pathname + location.search));
    await new Promise(() => {}); // the page is left
  }
  if (answer.ok) return answer.json();
  if (answer.headers.get('Content-Type') === 'application/json') throw new Refusal((await answer.json()).error);
  throw new Error('The shop did not answer. Look at your orders and your cart before you try again.');
}

// say shows what went wrong: what the shop refuses, or that it is in trouble.
export function say(error) {
  const kind = error instanceof Refusal ? 'refusal' : 'trouble';
  return make('p', {class: kind, role: 'alert'}, kind === 'refusal' ? error.message : 'Something went wrong. ' + error.message);
}

// recount tells the header how much the cart holds.
export function recount(count) {
  document.querySelector('cart-count')?.setAttribute('count', count);
}

class CartCount extends HTMLElement {
  static observedAttributes = ['count'];

  attributeChangedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({mode: 'open'});
    root.replaceChildren(`Cart (${this.getAttribute('count')})`);
  }
}

customElements.define('cart-count', CartCount);

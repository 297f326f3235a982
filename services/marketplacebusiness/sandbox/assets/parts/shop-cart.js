import {ask, make, open, recount, say} from './part.js';

// The cart, in which quantities can be changed.
class ShopCart extends HTMLElement {
  connectedCallback() {
    open(this);
    this.show(() => ask('/api/cart'));
  }

  async show(get) {
    try {
      this.draw(await get());
    } catch (error) {
      this.shadowRoot.prepend(say(error));
    }
  }

  draw({lines, count, subtotal}) {
    recount(count);
    if (lines.length === 0) {
      this.shadowRoot.replaceChildren(make('section', {class: 'cart box', 'aria-label': 'Cart'}, make('p', {class: 'empty'}, 'Your cart is empty.')));
      return;
    }
    this.shadowRoot.replaceChildren(make('section', {class: 'cart columns', 'aria-label': 'Cart'},
      make('div', {class: 'stack'}, ...lines.map(line => this.line(line))),
      make('div', {class: 'box'},
        make('p', {}, make('span', {class: 'cart-items'}, count), ' items'),
        make('p', {class: 'subtotal price'}, subtotal),
        make('a', {class: 'check-out', href: '/checkout'}, 'Go to checkout'))));
  }

  line({asin, title, url, quantity, price, refusal}) {
    const set = quantity => this.show(() => ask('/api/cart/quantity', {asin, quantity}));
    return make('article', {class: 'line box', 'data-asin': asin, 'data-quantity': quantity},
      make('a', {class: 'title', href: url}, title),
      make('p', {}, price && make('span', {class: 'each'}, price), price && ' each'),
      refusal && make('p', {class: 'obstacle'}, refusal),
      make('input', {class: 'quantity', type: 'number', min: 1, max: 999, value: quantity, 'aria-label': 'Quantity of ' + title, change: event => set(Number(event.target.value))}),
      ' ', make('button', {class: 'remove', click: () => set(0)}, 'Remove'));
  }
}

customElements.define('shop-cart', ShopCart);

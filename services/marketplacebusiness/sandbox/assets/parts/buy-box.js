import {ask, make, open, recount, say} from './part.js';

// The box in which an item is put into the cart, or ordered at once.
class BuyBox extends HTMLElement {
  connectedCallback() {
    const about = name => this.getAttribute(name);
    this.answer = make('div', {class: 'answer', 'aria-live': 'polite'});
    const box = make('section', {class: 'box', 'aria-label': 'Buy'});
    open(this).append(box);
    if (about('obstacle')) {
      box.append(make('p', {class: 'obstacle'}, about('obstacle')));
      return;
    }
    const minimum = Number(about('minimum'));
    this.quantity = make('input', {type: 'number', min: minimum, max: 999, value: minimum, 'aria-label': 'Quantity'});
    const parts = [
      make('p', {class: 'price'}, about('price')),
      make('p', {class: 'in-stock'}, 'In stock'),
      minimum > 1 && make('p', {class: 'minimum', 'data-minimum': minimum}, `This item is sold in quantities of ${minimum} or more.`),
      make('p', {class: 'in-cart', 'data-quantity': about('in-cart')}, `${about('in-cart')} in your cart`),
      this.quantity,
      make('button', {class: 'primary add', click: () => this.add()}, 'Add to cart'),
      make('button', {class: 'primary now', disabled: Boolean(about('blocked')) || minimum > 1, click: () => this.ask()}, 'Buy now'),
      about('blocked') && make('p', {class: 'blocked'}, about('blocked')),
      this.answer,
    ];
    box.append(...parts.filter(Boolean));
  }

  async add() {
    this.answer.replaceChildren();
    try {
      const {added, quantity, count, subtotal} = await ask('/api/cart', {asin: this.getAttribute('asin'), quantity: Number(this.quantity.value)});
      this.answer.append(make('div', {class: 'added', role: 'status', 'data-asin': added.asin},
        make('strong', {}, 'Added to cart'), make('br'),
        make('span', {class: 'quantity'}, quantity), ' × ', make('span', {class: 'title'}, added.title), ', ',
        make('span', {class: 'each'}, added.price), ' each', make('br'),
        'Your cart: ', make('span', {class: 'cart-items'}, count), ' items, ', make('span', {class: 'subtotal'}, subtotal), make('br'),
        make('a', {href: '/cart'}, 'Go to the cart')));
      recount(count);
    } catch (error) {
      this.answer.append(say(error));
    }
  }

  // ask lets the buyer look once more before one of the item is ordered.
  ask() {
    const answer = make('div', {'aria-live': 'polite'});
    const dialog = make('dialog', {class: 'dialog', 'aria-label': 'Buy now', close: () => dialog.remove()},
      make('h2', {}, 'Order one now?'),
      make('p', {}, this.getAttribute('item'), ', ', make('strong', {}, this.getAttribute('price'))),
      make('p', {}, 'To ' + this.getAttribute('address')),
      make('p', {}, 'With ' + this.getAttribute('payment')),
      make('button', {class: 'primary confirm', click: () => this.order(answer)}, 'Order now'),
      make('button', {class: 'primary cancel', click: () => dialog.close()}, 'Not now'),
      answer);
    this.shadowRoot.append(dialog);
    dialog.showModal();
  }

  async order(answer) {
    answer.replaceChildren();
    try {
      const {page} = await ask('/api/buy-now', {asin: this.getAttribute('asin')});
      location.assign(page);
    } catch (error) {
      answer.append(say(error));
    }
  }
}

customElements.define('buy-box', BuyBox);

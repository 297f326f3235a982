import {ask, make, open, say} from './part.js';

// The checkout: where the cart goes and what pays for it.
class CheckOut extends HTMLElement {
  connectedCallback() {
    open(this);
    this.load('');
  }

  // load prices the cart for an address. What was chosen and typed stays.
  async load(address) {
    this.form?.setAttribute('aria-busy', true);
    try {
      const quote = await ask('/api/checkout?address=' + encodeURIComponent(address));
      if (quote.lines.length === 0) {
        this.shadowRoot.replaceChildren(make('p', {class: 'empty box'}, 'Your cart is empty.'));
        return;
      }
      if (!this.form) this.draw(quote);
      this.address = quote.address;
      this.select.value = quote.address;
      this.summary.replaceWith(this.summary = this.sum(quote));
    } catch (error) {
      this.shadowRoot.append(say(error));
    }
    this.form?.setAttribute('aria-busy', false);
  }

  draw({addresses, cards, purchaseOrder}) {
    this.select = Object.assign(document.createElement('address-select'), {addresses});
    this.select.addEventListener('choose', event => this.load(event.detail));
    const radio = ({lastFour, label, chosen}) => make('label', {}, make('input', {type: 'radio', name: 'card', value: lastFour, checked: chosen}), ' ' + label);
    this.summary = make('div');
    this.form = make('form', {class: 'columns', 'aria-label': 'Checkout', submit: event => { event.preventDefault(); this.order(); }},
      make('div', {class: 'box'},
        make('div', {class: 'field'}, 'Deliver to', this.select),
        make('div', {class: 'field', role: 'radiogroup', 'aria-label': 'Card'}, 'Pay with', ...cards.map(radio)),
        make('label', {class: 'field'}, 'Purchase order number', make('input', {name: 'purchase-order', value: purchaseOrder, maxlength: 64})),
        make('label', {class: 'field'}, 'Your reference', make('input', {name: 'reference', maxlength: 64}))),
      this.summary);
    this.shadowRoot.replaceChildren(this.form);
  }

  sum({address, lines, count, subtotal, approval, obstacle}) {
    this.answer = make('div', {'aria-live': 'polite'});
    return make('div', {class: 'quote box', 'data-address': address || 'none'},
      make('h2', {}, `${count} items`),
      make('ul', {}, ...lines.map(({title, quantity, sum, refusal}) => make('li', {}, `${quantity} × ${title}`, sum && ` ${sum}`, refusal && make('span', {class: 'obstacle'}, ' ' + refusal)))),
      make('p', {class: 'price'}, subtotal),
      approval && make('p', {class: 'note'}, approval),
      obstacle && make('p', {class: 'blocked', role: 'alert'}, obstacle),
      make('button', {class: 'primary', disabled: Boolean(obstacle)}, 'Place order'),
      this.answer);
  }

  async order() {
    const typed = new FormData(this.form);
    this.answer.replaceChildren();
    try {
      const {page} = await ask('/api/checkout', {
        address: this.address, card: typed.get('card') ?? '',
        purchaseOrder: typed.get('purchase-order'), reference: typed.get('reference'),
      });
      location.assign(page);
    } catch (error) {
      this.answer.append(say(error));
    }
  }
}

customElements.define('check-out', CheckOut);

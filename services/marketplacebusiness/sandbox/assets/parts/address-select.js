import {make, open} from './part.js';

// A list to choose an address from, which opens at a click. It tells of the
// choice with the event "choose".
class AddressSelect extends HTMLElement {
  set addresses(addresses) {
    const root = this.shadowRoot ?? open(this);
    this.options = make('ul', {class: 'options', role: 'listbox', 'aria-label': 'Delivery addresses', hidden: true},
      ...addresses.map(({id, label}) => make('li', {role: 'option', 'data-address': id, click: () => this.choose(id)}, label)));
    this.toggle = make('button', {class: 'toggle', type: 'button', 'aria-haspopup': 'listbox', click: () => { this.options.hidden = !this.options.hidden; }}, 'Choose an address');
    root.replaceChildren(make('div', {class: 'choice'}, this.toggle, this.options));
  }

  // value marks the chosen address.
  set value(id) {
    for (const option of this.options.children) {
      const chosen = option.dataset.address === id;
      option.setAttribute('aria-selected', chosen);
      if (chosen) this.toggle.textContent = option.textContent;
    }
  }

  choose(id) {
    this.options.hidden = true;
    this.dispatchEvent(new CustomEvent('choose', {detail: id}));
  }
}

customElements.define('address-select', AddressSelect);

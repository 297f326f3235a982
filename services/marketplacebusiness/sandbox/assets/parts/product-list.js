import {make, open} from './part.js';
import {ScrolledList} from './scrolled-list.js';

// A card shows one product.
class ProductCard extends HTMLElement {
  set offer(offer) {
    open(this).append(make('article', {class: 'card', 'data-asin': offer.asin},
      make('img', {src: offer.image, alt: '', width: 240, height: 240, loading: 'lazy'}),
      make('a', {href: offer.url}, offer.title),
      make('span', {class: 'seller'}, offer.seller),
      offer.price && make('span', {class: 'price'}, offer.price),
      make('span', {class: 'list-price'}, offer.listPrice),
      offer.minimum > 1 && make('span', {class: 'minimum', 'data-minimum': offer.minimum}, `Minimum ${offer.minimum}`),
      offer.obstacle ? make('span', {class: 'obstacle'}, offer.obstacle) : make('span', {class: 'in-stock'}, 'In stock'),
      offer.note && make('span', {class: 'note'}, offer.note)));
  }
}

class ProductList extends ScrolledList {
  arrangement = 'grid';
  noun = 'item';

  row(offer) {
    return Object.assign(document.createElement('product-card'), {offer});
  }
}

customElements.define('product-card', ProductCard);
customElements.define('product-list', ProductList);

import {make, open} from './part.js';
import {ScrolledList} from './scrolled-list.js';

const fact = (label, name, value) => value && make('div', {}, make('small', {}, label), make('span', {class: name}, value));

// A card shows one order.
class OrderCard extends HTMLElement {
  set order(order) {
    const line = ({asin, title, quantity, each}) => make('li', {class: 'line', 'data-asin': asin},
      make('span', {class: 'quantity'}, quantity), ' × ', make('a', {class: 'title', href: '/dp/' + asin}, title),
      ', ', make('span', {class: 'each'}, each), ' each');
    open(this).append(make('article', {class: 'order', 'data-order': order.orderId, 'data-reference': order.reference},
      make('header', {},
        fact('Ordered', 'day', order.day),
        fact('By', 'buyer', order.buyer),
        fact('Deliver to', 'recipient', order.recipient),
        fact('Total', 'total', order.sum),
        fact('Status', 'status', order.status),
        fact('Arrives', 'arrives', order.arrives),
        fact('Purchase order', 'purchase-order', order.purchaseOrder),
        fact('Your reference', 'reference', order.reference),
        fact('Tracking', 'tracking', order.tracking)),
      make('ul', {}, ...order.contents.map(line)),
      make('p', {}, make('a', {class: 'number', href: '/orders/' + order.orderId}, order.orderId),
        order.invoiced && ' · ', order.invoiced && make('a', {class: 'invoice', href: '/invoices/' + order.orderId}, 'Invoice'))));
  }
}

class OrderList extends ScrolledList {
  arrangement = 'stack';
  noun = 'order';

  row(order) {
    return Object.assign(document.createElement('order-card'), {order});
  }
}

customElements.define('order-card', OrderCard);
customElements.define('order-list', OrderList);

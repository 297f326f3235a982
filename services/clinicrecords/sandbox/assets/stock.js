// The pages of the products: what is in stock, what they cost.
import { get } from '/assets/api.js';
import { pager } from '/assets/clients.js';
import { facts, h, money, table } from '/assets/dom.js';

export async function showInventory({ query }) {
  const list = await get('/api/inventory', { page: query.get('page') || 1, perPage: 50 });
  return h('section', { id: 'inventory' }, h('h1', {}, 'Inventory'),
    table('Inventory', ['Product', 'SKU', 'Clinic', 'Lot', 'Expires', 'On hand', 'Cost'], list.items.map((row) => h('tr', { class: row.onHand <= row.reorderAt ? 'low' : '' },
      h('td', {}, h('a', { href: `/products/${row.product}` }, row.name)), h('td', {}, row.sku), h('td', {}, row.clinic), h('td', {}, row.lot), h('td', {}, row.expires),
      h('td', {}, `${row.onHand} ${row.unit}`), h('td', {}, money(row.cost))))),
    pager(list, '/inventory'));
}

export async function showPrices({ query, go }) {
  const { items: clinics } = await get('/api/clinics');
  const clinic = query.get('clinic') || String(clinics[0].id);
  const list = await get('/api/prices', { clinic, page: query.get('page') || 1, perPage: 50 });
  return h('section', { id: 'prices' }, h('h1', {}, 'Price list'),
    h('label', {}, 'Clinic ', h('select', { change: (event) => go(`/prices?clinic=${event.target.value}`) },
      clinics.map((c) => h('option', { value: c.id, selected: String(c.id) === clinic }, c.name)))),
    table('Price list', ['Product', 'SKU', 'Unit', 'Price', 'Members'], list.items.map((row) => h('tr', {},
      h('td', {}, h('a', { href: `/products/${row.product}` }, row.name)), h('td', {}, row.sku), h('td', {}, row.unit), h('td', {}, money(row.price)),
      h('td', {}, row.memberPrice ? money(row.memberPrice) : '')))),
    pager(list, '/prices', `&clinic=${clinic}`));
}

export async function showProduct({ id }) {
  const p = await get(`/api/products/${id}`);
  return h('article', { id: 'product', class: 'card', 'data-product': p.id }, h('h1', { id: 'product-name' }, p.name), h('p', { id: 'product-description' }, p.description),
    facts({
      SKU: ['sku', p.sku], Barcode: ['barcode', p.barcode], Brand: ['brand', p.brand], Category: ['category', p.category], Unit: ['unit', p.unit], Price: ['price', money(p.price)],
      Cost: ['cost', money(p.cost)], 'Sales tax': ['taxable', p.taxable ? 'Yes' : 'No'], 'For retail': ['retail', p.retail ? 'Yes' : 'No'],
      'On hand': ['on-hand', p.onHand.toLocaleString('en-US')], 'Order again at': ['reorder', p.reorderAt], Supplier: ['supplier', p.supplier], State: ['state', p.active ? 'In use' : 'Discontinued'],
    }));
}

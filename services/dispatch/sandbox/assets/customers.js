// The list of customers, which grows at its end.

import {api, el, go, link, nameOf} from './page.js';

export async function customers() {
  const search = el('input', {id: 'search', type: 'search', 'aria-label': 'Search customers', placeholder: 'Name, company, phone or e-mail'});
  const rows = el('tbody', {});
  const count = el('p', {id: 'count', class: 'muted', role: 'status'});
  const more = el('button', {id: 'more', type: 'button', class: 'quiet', onclick: () => load(false)}, 'Load more');
  let asked = 0;
  const load = async anew => {
    const turn = ++asked;
    const from = anew ? 0 : rows.children.length;
    const page = await api('GET', '/customers?' + new URLSearchParams({q: search.value, from}));
    if (turn !== asked) return;
    if (anew) rows.replaceChildren();
    rows.append(...page.customers.map(row));
    count.textContent = `${page.total} customers`;
    more.hidden = rows.children.length >= page.total;
  };
  search.addEventListener('input', () => load(true));
  await load(true);
  return el('section', {id: 'customers'},
    el('div', {class: 'head'}, el('h1', {}, 'Customers'), count, search,
      el('button', {id: 'new-customer', type: 'button', class: 'primary', onclick: () => go('/customers/new')}, 'New customer')),
    el('table', {class: 'card'}, el('thead', {}, el('tr', {}, ['Customer', 'Contact', 'Phone', 'City', 'Kind'].map(text => el('th', {scope: 'col'}, text)))), rows), more);
}

function row(customer) {
  const contact = `${customer.firstName} ${customer.lastName}`.trim();
  return el('tr', {'data-id': customer.id},
    el('td', {}, link('/customers/' + customer.id, nameOf(customer))), el('td', {}, contact), el('td', {}, customer.phones?.[0]?.number ?? ''),
    el('td', {}, customer.addresses?.[0]?.city ?? ''), el('td', {}, customer.kind === 'COM' ? 'Commercial' : 'Residential'));
}

// The pages of the clients.
import { get } from '/assets/api.js';
import { address } from '/assets/business.js';
import { facts, h, longDay, modalities, money, table, time } from '/assets/dom.js';

export function pager(list, path, query = '') {
  const last = Math.max(1, Math.ceil(list.total / list.perPage));
  const to = (page, label) => (page >= 1 && page <= last && page !== list.page ? h('a', { href: `${path}?page=${page}${query}` }, label) : null);
  return h('nav', { class: 'pages', 'aria-label': 'Pages' }, to(1, 'First'), to(list.page - 1, 'Previous'),
    h('span', {}, `Page ${list.page} of ${last} · ${list.total} in all`), to(list.page + 1, 'Next'), to(last, 'Last'));
}

export async function showClients({ query, go }) {
  const wanted = query.get('q') || '';
  const list = await get('/api/clients', { page: query.get('page') || 1, q: wanted });
  const search = (event) => {
    event.preventDefault();
    go(`/clients?q=${encodeURIComponent(event.target.elements.q.value)}`);
  };
  return h('section', { id: 'clients' }, h('h1', {}, 'Clients'),
    h('form', { role: 'search', class: 'search', submit: search }, h('input', { name: 'q', type: 'search', value: wanted, 'aria-label': 'Name or number', placeholder: 'Name or number' }),
      h('button', { class: 'button quiet' }, 'Search')),
    table('Clients', ['No.', 'Name', 'Born', 'Mobile', 'E-mail', 'Last visit', 'State'], list.items.map((c) => h('tr', {},
      h('td', {}, c.id), h('td', {}, h('a', { href: `/clients/${c.id}` }, `${c.givenName} ${c.familyName}`)), h('td', {}, c.born || ''), h('td', {}, c.mobile || ''),
      h('td', {}, c.email || ''), h('td', {}, c.lastVisit || ''), h('td', {}, c.state)))),
    pager(list, '/clients', wanted && `&q=${encodeURIComponent(wanted)}`));
}

export async function showClient({ id, query }) {
  const [c, visits, { items: clinics }] = await Promise.all([
    get(`/api/clients/${id}`), get(`/api/clients/${id}/appointments`, { page: query.get('page') || 1, perPage: 10 }), get('/api/clinics'),
  ]);
  return h('section', { id: 'client' }, h('h1', {}, `${c.givenName} ${c.familyName}`),
    h('div', { class: 'card' }, facts({
      Number: ['client-number', c.id], 'Goes by': ['goes-by', c.goesBy], State: ['client-state', c.state], Born: ['born', c.born], Gender: ['gender', c.gender],
      'E-mail': ['client-email', c.email], Mobile: ['mobile', c.mobile], Home: ['home', c.home], Address: ['client-address', address(c.address)],
      Membership: ['membership', c.membership], 'Referred by': ['referral', c.referredBy], Balance: ['balance', money(c.balance)],
      Allergies: ['allergies', c.allergies.join(', ')], 'Medical alerts': ['alerts', c.alerts.join(', ')], Tags: ['tags', c.tags.join(', ')],
      Notes: ['client-notes', c.notes], 'Last visit': ['last-visit', c.lastVisit],
    })),
    h('h2', {}, 'Appointments'),
    table('Appointments', ['No.', 'When', 'Provider', 'For', 'How', 'Status'], visits.items.map((a) => visit(a, clinics))),
    pager(visits, `/clients/${id}`));
}

function visit(a, clinics) {
  const { timeZone } = clinics.find((c) => c.id === a.clinic);
  return h('tr', { 'data-appointment': a.id }, h('td', {}, h('a', { href: `/appointments/${a.id}` }, a.id)), h('td', {}, `${longDay(a.start.slice(0, 10))}, ${time(a.start, timeZone)}`),
    h('td', {}, a.providerName), h('td', {}, a.services.map((s) => s.name).join(', ')), h('td', {}, modalities[a.modality]), h('td', {}, a.status));
}

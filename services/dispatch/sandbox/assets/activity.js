// The activity log.

import {api, el, link, time} from './page.js';

export async function activity() {
  const asked = new URLSearchParams(location.search).get('q') ?? '';
  const {activity: found} = await api('GET', '/activity?' + new URLSearchParams({q: asked}));
  return el('section', {id: 'activity'},
    el('div', {class: 'head'}, el('h1', {}, 'Activity'),
      el('form', {role: 'search', action: '/activity'}, el('input', {name: 'q', type: 'search', value: asked, 'aria-label': 'Search activity', placeholder: 'Customer, user or note'}))),
    el('div', {class: 'card'}, entries(found)));
}

export function entries(list) {
  if (!list.length) return el('p', {class: 'muted'}, 'Nothing yet.');
  return el('ul', {class: 'entries'}, list.map(entry => el('li', {class: 'entry', 'data-customer': entry.customerId},
    el('strong', {}, entry.what), ' ', link('/customers/' + entry.customerId, entry.customer), ' by ', entry.user, ' ', time(entry.at),
    entry.note ? el('span', {class: 'note'}, entry.note) : null)));
}

// A customer's page.

import {api, el, go, link, nameOf, time} from './page.js';
import {addressKinds, customerKinds} from './choices.js';
import {entries} from './activity.js';

export async function customer(id) {
  const {customer: c, jobs, activity} = await api('GET', '/customers/' + encodeURIComponent(id));
  const facts = [
    ['Kind', customerKinds.find(([value]) => value === c.kind)[1]],
    ['Contact', `${c.firstName} ${c.lastName}`.trim()],
    ['Company', c.company],
    ['E-mail', c.email],
    ['Phones', c.phones.map(phone => el('p', {class: 'phone'}, phone.number, el('span', {class: 'muted'}, ' ' + phone.kind)))],
    ['Addresses', c.addresses.map(address)],
    ['Labels', c.labels.map(label => el('span', {class: 'label'}, label))],
    ['Notes', c.notes && el('p', {class: 'notes'}, c.notes)],
    ['Lead source', c.source],
    ['Payment terms', c.terms],
    ['Sales tax', c.taxExemption ? 'Exempt' : 'Charged'],
  ].filter(([, value]) => value.length !== 0);
  return el('section', {id: 'customer', 'data-id': c.id},
    el('div', {class: 'head'}, el('h1', {}, nameOf(c)), el('p', {class: 'muted'}, c.id, ' · changed ', time(c.updatedAt)),
      el('button', {id: 'edit', type: 'button', class: 'primary', onclick: () => go(`/customers/${c.id}/edit`)}, 'Edit')),
    el('div', {class: 'columns'},
      el('dl', {class: 'card facts'}, facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])),
      el('div', {},
        el('section', {class: 'card'}, el('h2', {}, 'Jobs'), jobs.length ? el('ul', {class: 'jobs'}, jobs.map(job)) : el('p', {class: 'muted'}, 'No jobs yet.')),
        el('section', {class: 'card'}, el('h2', {}, 'Activity'), entries(activity)))));
}

const address = a => el('address', {},
  [a.street, a.unit, `${a.city}, ${a.state} ${a.zip}`, a.country].filter(Boolean).map(line => el('span', {}, line)),
  el('span', {class: 'muted'}, addressKinds.find(([value]) => value === a.kind)[1]));

const job = j => el('li', {}, link('/board?day=' + j.start.slice(0, 10), `#${j.number} ${j.what}`), ' ', time(j.start));

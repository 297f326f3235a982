// The pages of the business: its clinics, its team, its accounts.
import { get } from '/assets/api.js';
import { clock, h, table } from '/assets/dom.js';

export function address(a) {
  return a && h('address', { 'data-country': a.country }, h('span', { class: 'street' }, a.street), a.suite ? [', ', h('span', { class: 'suite' }, a.suite)] : null, h('br'),
    h('span', { class: 'city' }, a.city), ', ', h('span', { class: 'state' }, a.state), ' ', h('span', { class: 'zip' }, a.zip));
}

export async function showClinics() {
  const { items } = await get('/api/clinics');
  return h('section', { id: 'clinics' }, h('h1', {}, 'Clinics'), h('div', { class: 'cards' }, items.map(clinicCard)));
}

function clinicCard(c) {
  return h('article', { class: 'card clinic', 'data-clinic': c.id },
    h('h2', { class: 'clinic-name' }, c.name),
    h('p', {}, h('span', { class: 'number' }, `No. ${c.id}`), ' ', h('span', { class: c.bookable ? 'badge open' : 'badge' }, c.bookable ? 'Open for booking' : 'Not bookable')),
    address(c.address),
    h('p', { class: 'reach' }, h('a', { class: 'phone', href: `tel:${c.phone.replaceAll(' ', '')}` }, c.phone), h('br'),
      h('a', { class: 'email', href: `mailto:${c.email}` }, c.email), h('br'), h('a', { class: 'website', href: c.website }, c.website)),
    h('p', {}, 'Time zone ', h('span', { class: 'time-zone' }, c.timeZone)),
    h('table', { class: 'hours', 'aria-label': `Opening hours of ${c.name}` }, h('tbody', {}, c.hours.map((hours) => h('tr', {}, h('th', { scope: 'row' }, hours.day),
      h('td', {}, h('time', { class: 'from', datetime: hours.from }, clock(hours.from)), ' – ', h('time', { class: 'to', datetime: hours.to }, clock(hours.to))))))));
}

export async function showTeam() {
  const [{ items }, clinics] = await Promise.all([get('/api/providers'), get('/api/clinics')]);
  const nameOf = (id) => clinics.items.find((c) => c.id === id).name;
  return h('section', { id: 'team' }, h('h1', {}, 'Team'),
    table('Team', ['No.', 'Name', 'Specialties', 'Clinics', 'Telephone', 'Online booking', 'Active'], items.map((p) => h('tr', { 'data-provider': p.id },
      h('td', {}, p.id), h('td', {}, p.name, h('small', {}, p.license)), h('td', {}, p.specialties.join(', ')), h('td', {}, p.clinics.map(nameOf).join(', ')),
      h('td', {}, p.phone, h('small', {}, p.email)), h('td', {}, p.onlineBooking ? 'Yes' : 'No'), h('td', {}, p.active ? 'Yes' : 'No')))));
}

export async function showBusiness() {
  const { items } = await get('/api/accounts');
  return h('section', { id: 'business' }, h('h1', {}, 'Business accounts'), h('div', { class: 'cards' }, items.map((a) =>
    h('article', { class: 'card' }, h('h2', {}, a.name), h('p', {}, `${a.id} · ${a.plan} · ${a.state}`), address(a.address),
      h('p', {}, a.legalName, h('br'), `Owner ${a.owner}`, h('br'), a.email, h('br'), a.phone), h('p', {}, `${a.timeZone} · ${a.currency}`)))));
}

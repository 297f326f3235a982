// The calendar of a clinic on a day.
import { get } from '/assets/api.js';
import { addDays, day, h, longDay, time } from '/assets/dom.js';

export async function showCalendar({ query, go }) {
  const { items: clinics } = await get('/api/clinics');
  const clinic = clinics.find((c) => String(c.id) === query.get('clinic')) || clinics[0];
  const date = query.get('date') || day(new Date(), clinic.timeZone);
  const { columns } = await get('/api/calendar', { clinic: clinic.id, from: date, to: date });
  const at = (id, when) => `/calendar?clinic=${id}&date=${when}`;
  return h('section', { id: 'calendar', 'data-date': date, 'data-clinic': clinic.id }, h('h1', {}, longDay(date)),
    h('div', { class: 'toolbar' },
      h('label', {}, 'Clinic ', h('select', { id: 'calendar-clinic', change: (event) => go(at(event.target.value, date)) },
        clinics.map((c) => h('option', { value: c.id, selected: c === clinic }, c.name)))),
      h('a', { class: 'button quiet', href: at(clinic.id, addDays(date, -1)) }, 'Previous day'),
      h('a', { class: 'button quiet', href: at(clinic.id, addDays(date, 1)) }, 'Next day'),
      h('span', { class: 'muted' }, clinic.timeZone)),
    h('div', { class: 'columns' }, columns.map((c) => column(c, clinic.timeZone))));
}

function column(c, timeZone) {
  const entries = [...c.appointments.map((a) => ({ start: a.start, element: entry(a, timeZone) })), ...c.blocked.map((b) => ({ start: b.start, element: block(b, timeZone) }))];
  entries.sort((a, b) => new Date(a.start) - new Date(b.start));
  return h('section', { class: 'column', 'data-provider': c.provider, 'aria-label': c.name }, h('h2', {}, c.name),
    entries.length ? h('ol', {}, entries.map((e) => e.element)) : h('p', { class: 'muted' }, 'Nothing on this day'));
}

function entry(a, timeZone) {
  return h('li', { class: a.status === 'Cancelled' || a.status === 'No show' ? 'entry gone' : 'entry' },
    h('a', { href: `/appointments/${a.id}` }, `${time(a.start, timeZone)} ${a.clientName}`), h('small', {}, `${a.services.map((s) => s.name).join(', ')} · ${a.status}`));
}

function block(b, timeZone) {
  return h('li', { class: 'entry block' }, `${time(b.start, timeZone)} – ${time(b.end, timeZone)}`, h('small', {}, b.reason));
}

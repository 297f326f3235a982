// Small tools to build pages with, and to write dates and amounts.

// h makes an element: attributes by name, handlers as functions, the rest are children.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// facts is a list of names with what is known; what is empty is left out.
export function facts(rows) {
  return h('dl', { class: 'facts' }, Object.entries(rows).flatMap(([name, [id, value]]) =>
    (value === '' || value === null || value === undefined ? [] : [h('dt', {}, name), h('dd', { id }, value)])));
}

export function table(caption, heads, rows) {
  return h('table', { 'aria-label': caption },
    h('thead', {}, h('tr', {}, heads.map((head) => h('th', { scope: 'col' }, head)))),
    h('tbody', {}, rows));
}

export function money(text) {
  const amount = Number(text);
  return (amount < 0 ? '-$' : '$') + Math.abs(amount).toLocaleString('en-US', { minimumFractionDigits: 2 });
}

// clock writes 14:30 as 2:30 PM.
export function clock(hhmm) {
  const [hours, minutes] = hhmm.split(':');
  return `${hours % 12 || 12}:${minutes} ${hours < 12 ? 'AM' : 'PM'}`;
}

export function time(iso, timeZone) {
  return new Intl.DateTimeFormat('en-US', { timeZone, hour: 'numeric', minute: '2-digit' }).format(new Date(iso));
}

// day is the day of a moment at a place, as 2026-11-24.
export function day(moment, timeZone) {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(moment);
}

// longDay writes 2026-11-24 out.
export function longDay(iso) {
  return new Date(`${iso}T12:00:00Z`).toLocaleDateString('en-US', { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' });
}

export function addDays(iso, days) {
  const date = new Date(`${iso}T12:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

export const modalities = { inPerson: 'In person', video: 'Video', phone: 'Phone' };

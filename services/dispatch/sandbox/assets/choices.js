// A field with choices: a button-like box that opens a list. It stands in for a
// select, which could not be styled.

import {el} from './page.js';

export const customerKinds = [['RES', 'Residential'], ['COM', 'Commercial']];
export const phoneKinds = ['Cell', 'Home', 'Work', 'Fax', 'Other'].map(kind => [kind, kind]);
export const addressKinds = [['SVC', 'Service location'], ['BIL', 'Billing']];
export const paymentTerms = [['', 'Not agreed'], ...['Due on receipt', 'Net 10', 'Net 15', 'Net 30', 'Net 60'].map(terms => [terms, terms])];

let made = 0;

export function choice(label, choices, value, attributes = {}) {
  const list = el('ul', {role: 'listbox', id: `choices-${++made}`, 'aria-label': label, hidden: true});
  const box = el('div', {...attributes, class: 'choice', role: 'combobox', tabindex: 0, 'aria-label': label, 'aria-haspopup': 'listbox',
    'aria-controls': list.id, 'aria-expanded': 'false'});
  const open = on => {
    list.hidden = !on;
    box.setAttribute('aria-expanded', String(on));
  };
  const options = choices.map(([option, text]) => el('li', {role: 'option', 'data-value': option, onclick: () => { choose(option); open(false); }}, text));
  const choose = option => {
    box.dataset.value = option;
    box.textContent = choices.find(([each]) => each === option)?.[1] ?? '';
    for (const each of options) each.setAttribute('aria-selected', String(each.dataset.value === option));
  };
  box.addEventListener('click', () => open(list.hidden));
  box.addEventListener('blur', event => { if (!list.contains(event.relatedTarget)) open(false); });
  list.addEventListener('mousedown', event => event.preventDefault()); // the box keeps the focus
  box.addEventListener('keydown', event => {
    const at = choices.findIndex(([option]) => option === box.dataset.value);
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (step && choices[at + step]) choose(choices[at + step][0]);
    if (event.key === 'Escape') open(false);
    if (event.key === 'Enter' || event.key === ' ') open(list.hidden);
    if (step || event.key === 'Enter' || event.key === ' ') event.preventDefault();
  });
  list.append(...options);
  choose(value);
  return el('div', {class: 'choice-field'}, box, list);
}

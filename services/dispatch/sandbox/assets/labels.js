// The field for labels: what is typed becomes a label with Enter.

import {el} from './page.js';

export function labels(values) {
  const list = el('ul', {id: 'labels', 'aria-label': 'Labels'});
  const typed = el('input', {id: 'label-input', 'aria-label': 'Add a label', placeholder: 'Add a label', autocomplete: 'off'});
  const has = text => [...list.children].some(label => label.dataset.label.toLowerCase() === text.toLowerCase());
  const add = text => {
    const label = el('li', {class: 'label', 'data-label': text}, text,
      el('button', {type: 'button', class: 'remove-label', 'aria-label': `Remove label ${text}`, onclick: () => label.remove()}, '×'));
    list.append(label);
  };
  typed.addEventListener('keydown', event => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const text = typed.value.trim();
    if (text && !has(text)) add(text);
    typed.value = '';
  });
  values.forEach(add);
  return el('div', {class: 'labels-field'}, list, typed);
}

export const labelsOf = form => [...form.querySelectorAll('#labels .label')].map(label => label.dataset.label);

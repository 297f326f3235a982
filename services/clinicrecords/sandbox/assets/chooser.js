// A list that opens from a button, in the stead of a select.
import { h } from '/assets/dom.js';

export function chooser(id, prompt, changed) {
  const choice = { value: '' };
  const button = h('button', { id, type: 'button', class: 'chooser', 'aria-haspopup': 'listbox', 'aria-expanded': 'false' }, prompt);
  const list = h('ul', { id: `${id}-options`, role: 'listbox', 'aria-label': prompt, hidden: true });
  const show = (open) => {
    list.hidden = !open;
    button.setAttribute('aria-expanded', open);
  };
  button.addEventListener('click', () => show(list.hidden));
  choice.offer = (options) => {
    choice.value = '';
    button.textContent = prompt;
    show(false);
    list.replaceChildren(...options.map(([value, label]) => h('li', {
      role: 'option',
      'data-value': value,
      click: () => {
        choice.value = value;
        button.textContent = label;
        show(false);
        changed();
      },
    }, label)));
  };
  choice.element = h('div', { class: 'combo' }, button, list);
  return choice;
}

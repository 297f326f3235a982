// The form of a new customer, and of one who is edited.

import {addressKinds, choice, customerKinds, paymentTerms, phoneKinds} from './choices.js';
import {api, el, go, nameOf, Refused, toast} from './page.js';
import {labels, labelsOf} from './labels.js';

const blank = {revision: 0, kind: 'RES', firstName: '', lastName: '', company: '', email: '', phones: [], addresses: [], notes: '', labels: [], source: '', terms: '', taxExemption: false};

export async function customerForm(id) {
  const c = id ? (await api('GET', '/customers/' + encodeURIComponent(id))).customer : blank;
  const save = el('button', {id: 'save', class: 'primary'}, 'Save customer');
  const words = el('div', {});
  const form = el('form', {id: 'customer-form', novalidate: true, onsubmit: event => submit(event)},
    el('div', {class: 'head'}, el('h1', {}, id ? `Edit ${nameOf(c)}` : 'New customer'),
      el('button', {type: 'button', class: 'quiet', onclick: () => history.back()}, 'Cancel'), save),
    words,
    group('Who it is',
      field('Kind', choice('Kind', customerKinds, c.kind, {id: 'kind'})),
      text('First name', 'first-name', c.firstName), text('Last name', 'last-name', c.lastName),
      text('Company', 'company', c.company), text('E-mail', 'customer-email', c.email)),
    rows('Phones', 'phones', 'Add a phone', phoneRow, c.phones, {number: '', kind: 'Cell'}),
    rows('Addresses', 'addresses', 'Add an address', addressRow, c.addresses, {kind: 'SVC', street: '', unit: '', city: '', state: '', zip: '', country: 'US'}),
    group('What to know',
      field('Labels', labels(c.labels)),
      field('Notes for crews', el('textarea', {id: 'notes', rows: 5, 'aria-label': 'Notes for crews'}, c.notes), 'wide'),
      text('Lead source', 'source', c.source)),
    group('Money',
      field('Payment terms', choice('Payment terms', paymentTerms, c.terms, {id: 'terms'})),
      el('label', {class: 'tick'}, el('input', {id: 'tax-exemption', type: 'checkbox', ...(c.taxExemption && {checked: true})}), ' Exempt from sales tax')),
    group('Activity log', text('Note on this change', 'log-note', '')));
  const submit = async event => {
    event.preventDefault();
    if (save.disabled) return;
    save.disabled = true;
    save.textContent = 'Saving …';
    words.replaceChildren();
    try {
      const saved = await (id ? api('PUT', '/customers/' + encodeURIComponent(id), contentOf(form, c)) : api('POST', '/customers', contentOf(form, c)));
      toast('Customer saved');
      go('/customers/' + saved.id);
    } catch (error) {
      words.replaceChildren(error instanceof Refused
        ? el('div', {id: 'refusal', class: 'error', role: 'alert'}, error.words.map(each => el('p', {}, each + ' ')))
        : el('p', {id: 'no-answer', class: 'error', role: 'alert'}, 'Crewdeck did not answer. Look at the customer before you save again.'));
      words.scrollIntoView({block: 'center'});
      save.disabled = false;
      save.textContent = 'Save customer';
    }
  };
  return form;
}

const group = (title, ...fields) => el('fieldset', {class: 'card'}, el('legend', {}, title), ...fields);

const field = (label, input, kind = '') => el('div', {class: 'field ' + kind}, el('span', {class: 'caption'}, label), input);

const text = (label, id, value) => el('div', {class: 'field'}, el('label', {for: id}, label), el('input', {id, value, autocomplete: 'off'}));

// rows is a group that can have any number of the same.
function rows(title, id, add, row, values, empty) {
  const list = el('div', {id, class: 'rows'});
  const append = value => {
    const item = el('div', {class: 'row'}, row(value),
      el('button', {type: 'button', class: 'remove quiet', onclick: () => item.remove()}, 'Remove'));
    list.append(item);
  };
  values.forEach(append);
  return group(title, list, el('button', {type: 'button', id: 'add-' + id, class: 'quiet', onclick: () => append(empty)}, add));
}

const part = (label, name, value) => el('label', {class: 'part ' + name}, label, el('input', {name, value, placeholder: ' ', autocomplete: 'off'}));

const phoneRow = phone => [part('Number', 'number', phone.number), choice('Phone kind', phoneKinds, phone.kind, {'data-name': 'kind'})];

const addressRow = a => [
  choice('Address kind', addressKinds, a.kind, {'data-name': 'kind'}),
  part('Street', 'street', a.street), part('Unit', 'unit', a.unit), part('City', 'city', a.city),
  part('State', 'state', a.state), part('ZIP', 'zip', a.zip), part('Country', 'country', a.country),
];

function contentOf(form, before) {
  const value = id => form.querySelector('#' + id).value;
  const rowsOf = id => [...form.querySelectorAll(`#${id} .row`)].map(row => Object.fromEntries([
    ['kind', row.querySelector('[data-name=kind]').dataset.value],
    ...[...row.querySelectorAll('input')].map(input => [input.name, input.value]),
  ]));
  return {
    revision: before.revision, kind: form.querySelector('#kind').dataset.value, firstName: value('first-name'), lastName: value('last-name'),
    company: value('company'), email: value('customer-email'), phones: rowsOf('phones'), addresses: rowsOf('addresses'), labels: labelsOf(form),
    notes: value('notes'), source: value('source'), terms: form.querySelector('#terms').dataset.value,
    taxExemption: form.querySelector('#tax-exemption').checked, logNote: value('log-note'),
  };
}

// The form in which an appointment is booked.
import { get, send, Refusal } from '/assets/api.js';
import { h, modalities, money, time } from '/assets/dom.js';
import { chooser } from '/assets/chooser.js';
import { datePicker } from '/assets/picker.js';

export async function newAppointment({ go }) {
  const [{ items: clinics }, { items: providers }] = await Promise.all([get('/api/clinics'), get('/api/providers')]);
  return new Form(clinics, providers, go).element;
}

class Form {
  constructor(clinics, providers, go) {
    Object.assign(this, { clinics, providers, go, services: [], slot: null, servicesAsked: 0, slotsAsked: 0 });
    this.clinic = h('select', { id: 'clinic', change: () => this.clinicChosen() }, h('option', { value: '' }, 'Choose a clinic'),
      clinics.filter((c) => c.bookable).map((c) => h('option', { value: c.id }, c.name)));
    this.client = clientSearch();
    this.provider = chooser('provider', 'Choose a provider', () => this.loadServices());
    this.modality = h('fieldset', { id: 'modality' }, h('legend', {}, 'How'), Object.entries(modalities).map(([value, label]) => h('label', { class: 'choice' },
      h('input', { type: 'radio', name: 'modality', value, checked: value === 'inPerson', change: () => this.loadServices() }), label)));
    this.offered = h('fieldset', { id: 'services' }, h('legend', {}, 'Services'), h('p', { class: 'muted' }, 'Choose a clinic and a provider first.'));
    this.length = h('input', { id: 'length', type: 'number', min: 5, max: 480, change: () => { this.lengthTyped = true; this.loadSlots(); } });
    this.date = datePicker(() => this.loadSlots());
    this.slots = h('div', { id: 'slots', role: 'group', 'aria-label': 'Free times' }, h('p', { class: 'muted' }, 'Choose services and a day.'));
    this.notes = h('textarea', { id: 'notes', rows: 3, maxlength: 4000 });
    this.notify = h('input', { id: 'notify', type: 'checkbox' });
    this.trouble = h('p', { id: 'booking-error', class: 'bad', role: 'alert', hidden: true });
    this.lost = h('p', { id: 'connection-error', class: 'bad', role: 'alert', hidden: true }, 'The connection was lost. Look at the client’s appointments before you try again.');
    this.button = h('button', { id: 'book', class: 'button', type: 'button', click: () => this.book() }, 'Book appointment');
    this.element = this.arranged();
  }

  arranged() {
    const row = (label, id, field) => h('div', { class: 'row' }, h('label', { for: id }, label), field);
    return h('section', { id: 'new-appointment-form', class: 'form' }, h('h1', {}, 'New appointment'),
      h('div', { class: 'halves' },
        h('div', { class: 'card' }, row('Clinic', 'clinic', this.clinic), row('Client', 'client-search', this.client.element), row('Provider', 'provider', this.provider.element),
          this.modality, this.offered),
        h('div', { class: 'card' }, row('Length in minutes', 'length', this.length), row('Day', 'date', this.date.element), row('Time', 'slots', this.slots),
          row('Notes for the staff', 'notes', this.notes), h('label', { class: 'choice' }, this.notify, 'Send the client a confirmation'),
          this.trouble, this.lost, this.button)));
  }

  clinicChosen() {
    const clinic = this.chosenClinic();
    this.provider.offer(clinic ? this.providers.filter((p) => p.active && p.clinics.includes(clinic.id)).map((p) => [p.id, p.name]) : []);
    this.date.open(clinic);
    this.loadServices();
  }

  chosenClinic() { return this.clinics.find((c) => String(c.id) === this.clinic.value); }

  by() { return this.modality.querySelector('input:checked').value; }

  chosenServices() { return this.services.filter((s) => this.offered.querySelector(`input[value="${s.id}"]`).checked); }

  async loadServices() {
    const legend = this.offered.firstElementChild;
    this.services = [];
    this.servicesChanged();
    if (!this.clinic.value || !this.provider.value) {
      this.offered.replaceChildren(legend, h('p', { class: 'muted' }, 'Choose a clinic and a provider first.'));
      return;
    }
    const turn = ++this.servicesAsked;
    this.offered.setAttribute('aria-busy', 'true');
    let list;
    try {
      const { items } = await get('/api/services', { clinicId: this.clinic.value, providerId: this.provider.value, modality: this.by() });
      list = items;
    } catch {
      list = null;
    }
    if (turn !== this.servicesAsked) {
      return;
    }
    this.services = list || [];
    this.offered.replaceChildren(legend, ...(list ? list.map((s) => this.serviceChoice(s)) : [h('p', { id: 'services-lost', class: 'bad' }, 'The services cannot be shown at present.')]));
    this.offered.setAttribute('aria-busy', 'false');
  }

  serviceChoice(s) {
    return h('label', { class: 'choice' }, h('input', { type: 'checkbox', name: 'service', value: s.id, change: () => this.servicesChanged() }),
      `${s.name} (${s.minutes} min, ${money(s.price)})`);
  }

  servicesChanged() {
    if (!this.lengthTyped) {
      this.length.value = this.chosenServices().reduce((sum, s) => sum + s.minutes, 0) || '';
    }
    this.loadSlots();
  }

  async loadSlots() {
    const services = this.chosenServices();
    this.slot = null;
    if (!services.length || !this.date.value) {
      this.slots.replaceChildren(h('p', { class: 'muted' }, 'Choose services and a day.'));
      return;
    }
    const turn = ++this.slotsAsked;
    this.slots.setAttribute('aria-busy', 'true');
    this.slots.replaceChildren(h('p', { class: 'muted' }, 'Looking …'));
    try {
      const answer = await get('/api/availability', {
        clinic: this.clinic.value, providers: this.provider.value, services: services.map((s) => s.id).join(','), modality: this.by(), minutes: this.length.value,
        date: this.date.value, taken: 1,
      });
      if (turn === this.slotsAsked) {
        this.showSlots(answer);
      }
    } catch (trouble) {
      if (turn === this.slotsAsked) {
        this.slots.replaceChildren(trouble instanceof Refusal ? h('p', { id: 'slots-error', class: 'bad' }, trouble.message)
          : h('p', { id: 'slots-lost', class: 'bad' }, 'The times cannot be shown at present.'));
        this.slots.setAttribute('aria-busy', 'false');
      }
    }
  }

  showSlots({ providers, timeZone }) {
    this.slots.setAttribute('aria-busy', 'false');
    const slots = providers.flatMap((p) => p.slots);
    const choose = (slot) => (event) => {
      this.slot = slot;
      for (const other of this.slots.querySelectorAll('button')) {
        other.setAttribute('aria-pressed', other === event.currentTarget);
      }
    };
    this.slots.replaceChildren(...slots.map((slot) => h('button', {
      type: 'button', class: 'slot', 'data-instant': slot.instant, 'data-start': slot.start, disabled: !slot.free, title: slot.free ? false : 'Taken', 'aria-pressed': 'false', click: choose(slot),
    }, time(slot.start, timeZone))));
    if (!slots.length) {
      this.slots.append(h('p', { class: 'muted' }, 'No times on this day.'));
    }
  }

  async book() {
    const services = this.chosenServices().map((s) => s.id);
    this.trouble.hidden = this.lost.hidden = true;
    if (!this.client.value || !services.length || !this.slot) {
      this.complain('Choose a client, services and a time.');
      return;
    }
    this.button.disabled = true;
    try {
      const a = await send('POST', '/api/appointments', {
        client: this.client.value, clinic: Number(this.clinic.value), provider: Number(this.provider.value), modality: this.by(), services, minutes: Number(this.length.value),
        start: this.slot.start, notes: this.notes.value, tell: this.notify.checked,
      });
      this.go(`/appointments/${a.id}?booked`);
    } catch (trouble) {
      this.button.disabled = false;
      if (trouble instanceof Refusal) {
        this.complain(trouble.message);
      } else {
        this.lost.hidden = false;
      }
    }
  }

  complain(text) {
    this.trouble.textContent = text;
    this.trouble.hidden = false;
  }
}

// clientSearch finds a client by name or number while one types.
function clientSearch() {
  const search = { value: 0 };
  let asked = 0;
  const options = h('ul', { id: 'client-options', role: 'listbox', 'aria-label': 'Clients', hidden: true });
  const chosen = h('p', { id: 'client-chosen', class: 'muted' });
  const choose = (client) => {
    search.value = client.id;
    input.value = `${client.givenName} ${client.familyName}`;
    chosen.textContent = `No. ${client.id}${client.born ? `, born ${client.born}` : ''}`;
    options.hidden = true;
  };
  const find = async () => {
    const turn = ++asked;
    const wanted = input.value.trim();
    const { items } = wanted ? await get('/api/clients', { q: wanted, perPage: 8 }) : { items: [] };
    if (turn !== asked) {
      return;
    }
    options.replaceChildren(...items.map((c) => h('li', { role: 'option', 'data-client': c.id, click: () => choose(c) }, `${c.givenName} ${c.familyName} · No. ${c.id}`)));
    options.hidden = false;
  };
  const input = h('input', { id: 'client-search', role: 'combobox', 'aria-controls': 'client-options', autocomplete: 'off', placeholder: 'Name or number', input: find });
  search.element = h('div', { class: 'combo' }, input, options, chosen);
  return search;
}

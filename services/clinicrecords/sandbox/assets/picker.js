// A picker of days: a month is chosen from a list, a day from a grid. Days that have passed, or on which the clinic is closed, cannot be chosen.
import { addDays, day, h, longDay } from '/assets/dom.js';

const monthsAhead = 12;
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export function datePicker(changed) {
  const picker = { value: '' };
  let clinic = null;
  const button = h('button', { id: 'date', type: 'button', class: 'chooser', 'aria-haspopup': 'dialog', disabled: true, click: () => { popover.hidden = !popover.hidden; } }, 'Choose a day');
  const months = h('select', { id: 'picker-month', 'aria-label': 'Month', change: () => showMonth() });
  const grid = h('div', { class: 'days', role: 'group', 'aria-label': 'Days' });
  const popover = h('div', { id: 'picker', role: 'dialog', 'aria-label': 'Choose a day', hidden: true }, months, grid);

  function showMonth() {
    const today = day(new Date(), clinic.timeZone);
    const first = `${months.value}-01`;
    const offset = new Date(`${first}T12:00:00Z`).getUTCDay();
    const cells = Array.from({ length: offset }, () => h('span'));
    for (let date = first; date.startsWith(months.value); date = addDays(date, 1)) {
      const weekday = weekdays[new Date(`${date}T12:00:00Z`).getUTCDay()];
      const reason = date < today ? 'This day has passed.' : clinic.hours.every((hours) => hours.day !== weekday) && 'The clinic is closed on this day.';
      const choose = () => {
        picker.value = date;
        button.textContent = longDay(date);
        popover.hidden = true;
        changed();
      };
      cells.push(h('button', { type: 'button', class: 'day', 'data-date': date, disabled: Boolean(reason), title: reason || false, 'aria-label': longDay(date), click: choose }, Number(date.slice(8))));
    }
    grid.replaceChildren(...weekdays.map((name) => h('span', { class: 'head' }, name.slice(0, 2))), ...cells);
  }

  picker.open = (chosen) => {
    clinic = chosen;
    picker.value = '';
    button.textContent = 'Choose a day';
    button.disabled = !clinic;
    popover.hidden = true;
    if (!clinic) {
      return;
    }
    const [year, month] = day(new Date(), clinic.timeZone).split('-').map(Number);
    months.replaceChildren(...Array.from({ length: monthsAhead }, (_, i) => {
      const date = new Date(Date.UTC(year, month - 1 + i, 1, 12));
      return h('option', { value: date.toISOString().slice(0, 7) }, date.toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }));
    }));
    showMonth();
  };
  picker.element = h('div', { class: 'combo' }, button, popover);
  return picker;
}

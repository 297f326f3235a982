// The calendar of date fields: a month to pick a day from. Where the field is
// not read-only, a date may be typed too; it is then written as MM/DD/YYYY, or
// taken away when it is none.
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const pad = (n) => String(n).padStart(2, '0');
const daysOf = (year, month) => new Date(Date.UTC(year, month, 0)).getUTCDate();

function written(text) {
  let found = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(text.trim());
  let [month, day, year] = found ? found.slice(1).map(Number) : [];
  if (!found && (found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text.trim()))) {
    [year, month, day] = found.slice(1).map(Number);
  }
  if (!found || month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) {
    return '';
  }
  return `${pad(month)}/${pad(day)}/${String(year).padStart(4, '0')}`;
}

function choice(label, options) {
  const select = document.createElement('select');
  select.setAttribute('aria-label', label);
  for (const [value, text] of options) {
    select.add(new Option(text, value));
  }
  return select;
}

function calendar(picker) {
  const field = picker.querySelector('input');
  const today = new Date();
  const years = Array.from({ length: 100 }, (_, n) => String(today.getFullYear() + 8 - n));
  const box = document.createElement('div');
  box.className = 'calendar';
  box.hidden = true;
  const month = choice('Month', months.map((name, n) => [String(n + 1), name]));
  const year = choice('Year', years.map((y) => [y, y]));
  const grid = document.createElement('div');
  grid.className = 'days';
  grid.setAttribute('role', 'grid');
  box.append(month, year, grid);
  picker.append(box);

  function draw() {
    const lead = new Date(Date.UTC(year.value, month.value - 1, 1)).getUTCDay();
    grid.replaceChildren(...Array.from({ length: lead }, () => document.createElement('span')));
    for (let day = 1; day <= daysOf(year.value, month.value); day++) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = day;
      button.dataset.day = `${pad(month.value)}/${pad(day)}/${year.value}`;
      button.setAttribute('aria-label', `${months[month.value - 1]} ${day}, ${year.value}`);
      grid.append(button);
    }
  }
  function open() {
    const shown = written(field.value) || `${pad(today.getMonth() + 1)}/01/${today.getFullYear()}`;
    month.value = String(Number(shown.slice(0, 2)));
    year.value = years.includes(shown.slice(6)) ? shown.slice(6) : String(today.getFullYear());
    draw();
    box.hidden = false;
  }
  field.addEventListener('focus', open);
  field.addEventListener('click', open);
  month.addEventListener('change', draw);
  year.addEventListener('change', draw);
  grid.addEventListener('click', (event) => {
    if (event.target.dataset.day) {
      field.value = event.target.dataset.day;
      box.hidden = true;
    }
  });
  field.addEventListener('blur', (event) => {
    if (field.readOnly) {
      return;
    }
    field.value = written(field.value);
    box.hidden = !picker.contains(event.relatedTarget);
  });
  document.addEventListener('mousedown', (event) => {
    if (!picker.contains(event.target)) {
      box.hidden = true;
    }
  });
  picker.dataset.ready = 'true';
}

document.querySelectorAll('.picker').forEach(calendar);

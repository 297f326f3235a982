// Six fields of one digit each, which are one to who types: the next one takes
// the focus by itself, Backspace goes back, and a pasted code fills them all.
const form = document.getElementById('code');
const fields = [...form.querySelectorAll('[name=digit]')];
const button = form.querySelector('button');
const ready = () => { button.disabled = fields.some(field => field.value === ''); };

fields.forEach((field, i) => {
  field.addEventListener('input', () => {
    field.value = field.value.replace(/\D/g, '').slice(-1);
    if (field.value && fields[i + 1]) fields[i + 1].focus();
    ready();
  });
  field.addEventListener('keydown', event => {
    if (event.key === 'Backspace' && !field.value && fields[i - 1]) fields[i - 1].focus();
  });
  field.addEventListener('paste', event => {
    event.preventDefault();
    const digits = event.clipboardData.getData('text').replace(/\D/g, '');
    fields.slice(i).forEach((each, k) => { each.value = digits[k] ?? each.value; });
    ready();
  });
});
fields[0].focus();

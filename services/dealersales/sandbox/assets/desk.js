// Dialogs open by their buttons, or at once where a form was refused.
for (const button of document.querySelectorAll('[data-opens]')) {
  button.addEventListener('click', () => document.getElementById(button.dataset.opens).showModal());
}
for (const button of document.querySelectorAll('[data-closes]')) {
  button.addEventListener('click', () => button.closest('dialog').close());
}
for (const dialog of document.querySelectorAll('dialog[data-open]')) dialog.showModal();

// Some forms ask before they are sent.
for (const form of document.querySelectorAll('form[data-confirm]')) {
  form.addEventListener('submit', (event) => {
    if (!confirm(form.dataset.confirm)) event.preventDefault();
  });
}

// Nobody signs in within the calendar's frame.
if (document.getElementById('sign-in') && window.top !== window.self) window.top.location.href = window.location.href;

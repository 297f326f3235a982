// The dialog that ends an employment: it is opened and closed in the page, and
// says what the application answers.
for (const opener of document.querySelectorAll('[data-opens]')) {
  const shade = document.getElementById(opener.dataset.opens);
  const form = shade.querySelector('form');
  const refusal = shade.querySelector('#termination-refusal');
  const trouble = shade.querySelector('#termination-trouble');
  opener.addEventListener('click', () => { shade.hidden = false; });
  shade.querySelector('[data-closes]').addEventListener('click', () => { shade.hidden = true; });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    refusal.hidden = trouble.hidden = true;
    try {
      const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
      if (response.redirected) { // nobody is signed in any more
        window.location.assign(response.url);
        return;
      }
      const answer = await response.json();
      if (answer.next) {
        window.location.assign(answer.next);
        return;
      }
      refusal.textContent = answer.refusal;
      refusal.hidden = false;
    } catch {
      trouble.textContent = 'The answer did not arrive. Look at the record before you try again.';
      trouble.hidden = false;
    }
  });
  opener.dataset.ready = 'true';
}

// What lies over a page: the question for cookies, and the invitation to get
// the app.

function box(id, role, words, ...answers) {
  const element = document.createElement('div');
  element.id = id;
  element.setAttribute('role', role);
  element.setAttribute('aria-label', words.split('.')[0]);
  const text = document.createElement('p');
  text.textContent = words;
  element.append(text);
  for (const [name, label] of answers) {
    const button = document.createElement('button');
    button.id = name;
    button.className = 'button';
    button.textContent = label;
    button.addEventListener('click', () => {
      element.dispatchEvent(new CustomEvent('answer', {detail: name}));
      element.remove();
    });
    element.append(button);
  }
  document.body.append(element);
  return element;
}

if (!localStorage.getItem('cookies')) {
  box('cookie-banner', 'region', 'Cookies. Peerline keeps you signed in with them, and would like to count visits too.', ['cookies-necessary', 'Only necessary ones'], ['cookies-all', 'All of them'])
    .addEventListener('answer', event => localStorage.setItem('cookies', event.detail));
}

// The invitation comes with every second page of a member, and on the others in
// the middle of things: when a conversation has been opened.
const invite = () => box('app-invitation', 'dialog', 'Peerline is nicer in the app. Connect your telephone in a minute.', ['get-app', 'Connect the app'], ['not-now', 'Not now']);

if (document.querySelector('#me')) {
  const pages = Number(sessionStorage.getItem('pages') ?? 0) + 1;
  sessionStorage.setItem('pages', pages);
  if (pages % 2 === 0) invite();
  else document.addEventListener('conversation', invite, {once: true});
}

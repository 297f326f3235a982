// The frame of the application, and which view an address shows.

import {api, el, go, link, Refused} from './page.js';
import {board} from './board.js';
import {activity} from './activity.js';
import {customer} from './customer.js';
import {customerForm} from './customer-form.js';
import {customers} from './customers.js';
import {signIn} from './sign-in.js';

const views = [
  [/^\/board$/, board],
  [/^\/customers$/, customers],
  [/^\/customers\/new$/, () => customerForm()],
  [/^\/customers\/([^/]+)$/, customer],
  [/^\/customers\/([^/]+)\/edit$/, customerForm],
  [/^\/activity$/, activity],
];

const nowhere = async () => el('section', {id: 'not-found', class: 'card'}, el('h1', {}, 'Page not found'), el('p', {class: 'words'}, 'There is nothing at this address.'));

function viewOf(path) {
  for (const [pattern, view] of views) {
    const match = pattern.exec(path);
    if (match) return () => view(...match.slice(1).map(decodeURIComponent));
  }
  return nowhere;
}

function trouble(error) {
  if (error instanceof Refused && error.status === 404) {
    return el('section', {id: 'not-found', class: 'card'}, el('h1', {}, 'Not found'), el('p', {class: 'words'}, error.message));
  }
  return el('section', {id: 'trouble', class: 'card', role: 'alert'}, el('h1', {}, 'That did not work'),
    el('p', {class: 'words'}, 'Crewdeck does not answer as it should. Please try again in a minute.'));
}

function frame(me, content) {
  const tab = (href, text) => {
    const a = link(href, text);
    if (location.pathname.startsWith(href)) a.setAttribute('aria-current', 'page');
    return a;
  };
  const signOut = async () => {
    await api('DELETE', '/session');
    location.assign('/sign-in');
  };
  return [
    el('header', {class: 'bar'},
      el('a', {class: 'brand', href: '/board'}, el('img', {src: '/assets/crewdeck.svg', alt: '', width: 26, height: 26}), 'Crewdeck'),
      el('nav', {'aria-label': 'Main'}, tab('/board', 'Schedule'), tab('/customers', 'Customers'), tab('/activity', 'Activity')),
      el('div', {id: 'me', class: 'me'}, el('span', {title: me.email}, me.name), el('button', {type: 'button', class: 'quiet', onclick: signOut}, 'Sign out'))),
    el('main', {}, content),
  ];
}

let shown = 0;

async function show() {
  const turn = ++shown;
  const app = document.querySelector('#app');
  if (location.pathname === '/sign-in') {
    app.replaceChildren(signIn());
    return;
  }
  let parts;
  try {
    const me = await api('GET', '/me');
    parts = frame(me, await viewOf(location.pathname)().catch(trouble));
  } catch (error) {
    parts = [el('main', {}, trouble(error))];
  }
  if (turn !== shown) return; // another view was asked for meanwhile
  app.replaceChildren(...parts);
  const title = app.querySelector('h1')?.textContent;
  document.title = title ? `${title} · Crewdeck` : 'Crewdeck';
  scrollTo(0, 0);
}

addEventListener('popstate', show);
document.addEventListener('click', event => {
  const a = event.target.closest('a[data-view]');
  if (!a || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(a.getAttribute('href'));
});
show();

// Veranda: which page belongs to which address, and the frame around it.
import { get, send, Refusal, SignedOut } from '/assets/api.js';
import { h } from '/assets/dom.js';
import { showAppointment } from '/assets/appointment.js';
import { newAppointment } from '/assets/booking.js';
import { showBusiness, showClinics, showTeam } from '/assets/business.js';
import { showCalendar } from '/assets/calendar.js';
import { showClient, showClients } from '/assets/clients.js';
import { showInventory, showPrices, showProduct } from '/assets/stock.js';

const pages = [
  [/^\/$/, showCalendar], [/^\/calendar$/, showCalendar], [/^\/clients$/, showClients], [/^\/clients\/(\d+)$/, showClient],
  [/^\/clinics$/, showClinics], [/^\/team$/, showTeam], [/^\/appointments\/new$/, newAppointment], [/^\/appointments\/(\d+)$/, showAppointment],
  [/^\/inventory$/, showInventory], [/^\/products\/(\d+)$/, showProduct], [/^\/prices$/, showPrices], [/^\/business$/, showBusiness],
];

const links = {
  '/calendar': 'Calendar', '/clients': 'Clients', '/team': 'Team', '/clinics': 'Clinics', '/inventory': 'Inventory', '/prices': 'Prices', '/business': 'Business',
};

const root = document.getElementById('app');
let user = null;
let shown = 0; // counts what is shown, so that a page that comes late is dropped

export function go(path) {
  history.pushState(null, '', path);
  return show();
}

async function show() {
  const turn = ++shown;
  let content;
  try {
    user = user || await get('/api/me');
    content = await pageOf(location.pathname);
  } catch (trouble) {
    if (trouble instanceof SignedOut) {
      return; // the event has led to the sign-in
    }
    content = h('section', { id: 'message', role: 'alert' }, h('h1', {}, trouble instanceof Refusal ? 'Not here' : 'Something went wrong'),
      h('p', {}, trouble instanceof Refusal ? trouble.message : 'Veranda does not answer at present. Try again in a minute.'));
  }
  if (turn !== shown) {
    return;
  }
  root.replaceChildren(frame(), h('main', {}, content));
  document.title = `${content.querySelector('h1')?.textContent || 'Veranda'} · Veranda`;
}

async function pageOf(path) {
  for (const [pattern, page] of pages) {
    const match = pattern.exec(path);
    if (match) {
      return page({ id: match[1], query: new URLSearchParams(location.search), go });
    }
  }
  return h('section', { id: 'message' }, h('h1', {}, 'Page not found'), h('p', {}, 'There is nothing at this address.'));
}

function frame() {
  return h('header', { class: 'bar' },
    h('a', { class: 'brand', href: '/calendar' }, 'Veranda'),
    h('nav', { 'aria-label': 'Main' }, Object.entries(links).map(([path, label]) =>
      h('a', { href: path, 'aria-current': location.pathname === path ? 'page' : false }, label))),
    h('a', { class: 'button', id: 'new-appointment', href: '/appointments/new' }, 'New appointment'),
    h('div', { id: 'user-menu', class: 'user-menu' }, h('span', {}, user.name),
      h('button', { class: 'link', id: 'sign-out', type: 'button', click: signOut }, 'Sign out')));
}

async function signOut() {
  await send('DELETE', '/api/session');
  history.pushState(null, '', '/sign-in');
  showSignIn();
}

// showSignIn keeps the address that was asked for, and goes on to it.
function showSignIn() {
  user = null;
  shown++;
  if (location.pathname !== '/sign-in') {
    history.replaceState(null, '', `/sign-in?return=${encodeURIComponent(location.pathname + location.search)}`);
  }
  const trouble = h('p', { id: 'sign-in-error', class: 'bad', role: 'alert', hidden: true });
  const button = h('button', { id: 'sign-in', class: 'button' }, 'Sign in');
  const submit = async (event) => {
    event.preventDefault();
    trouble.hidden = true;
    button.disabled = true;
    try {
      const fields = event.target.elements;
      user = await send('POST', '/api/session', { email: fields.email.value, password: fields.password.value });
      const back = new URLSearchParams(location.search).get('return') || '/calendar';
      go(new URL(back, location.origin).origin === location.origin ? back : '/calendar');
    } catch (refused) {
      trouble.textContent = refused instanceof Refusal ? refused.message : 'Veranda does not answer at present.';
      trouble.hidden = false;
      button.disabled = false;
    }
  };
  root.replaceChildren(h('main', { class: 'entrance' }, h('form', { id: 'sign-in-form', class: 'panel', submit },
    h('h1', {}, 'Sign in to Veranda'), trouble,
    h('label', { for: 'email' }, 'E-mail address'), h('input', { id: 'email', name: 'email', type: 'email', autocomplete: 'username', required: true }),
    h('label', { for: 'password' }, 'Password'), h('input', { id: 'password', name: 'password', type: 'password', autocomplete: 'current-password', required: true }),
    button)));
  document.title = 'Sign in · Veranda';
}

// Links within the application change the page without loading a document.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="/"]');
  if (link && !event.metaKey && !event.ctrlKey && event.button === 0) {
    event.preventDefault();
    go(link.getAttribute('href'));
  }
});
addEventListener('popstate', show);
document.addEventListener('signed-out', showSignIn);

if (location.pathname === '/sign-in') {
  get('/api/me').then(() => go('/calendar'), (trouble) => trouble instanceof SignedOut || showSignIn());
} else {
  show();
}

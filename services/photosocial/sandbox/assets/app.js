import {call, Refusal} from './api.js';
import {draw} from './draw.js';
import {signIn, enterCode} from './sign-in.js';
import {askToSave, wasAsked} from './login-info.js';
import {frame} from './frame.js';
import {feed} from './feed.js';
import {profile} from './profile.js';

const app = document.getElementById('app');
let visit; // who is here
let drawing = 0; // only the newest view may show

// go changes the address without loading a page.
export function go(path) {
  history.pushState(null, '', path);
  return show();
}

function replace(...parts) {
  app.replaceChildren(...parts);
  app.removeAttribute('aria-busy');
  scrollTo(0, 0);
}

// here is the place that a sign-in leads back to.
function here() {
  const back = new URLSearchParams(location.search).get('return') ?? '/';
  return /^\/(?![/\\])/.test(back) ? back : '/';
}

// proceed goes on after a step of the sign-in.
function proceed(next) {
  visit = next;
  const back = '?return=' + encodeURIComponent(here());
  return go(visit.member ? here() : visit.awaitsCode ? '/sign-in/code' + back : '/sign-in' + back);
}

async function show() {
  const mine = ++drawing;
  const path = location.pathname;
  const signing = path.startsWith('/sign-in');
  if (!visit.member) {
    if (path === '/sign-in/code' && visit.awaitsCode) return replace(enterCode(proceed));
    if (!signing) history.replaceState(null, '', '/sign-in?return=' + encodeURIComponent(path));
    return replace(signIn(proceed));
  }
  if (signing) return go(here());
  if (!wasAsked(visit.member)) {
    const question = askToSave(visit.member, show);
    replace(question);
    return question.showModal();
  }
  let view;
  try {
    view = await (path === '/' ? feed() : profile(path.split('/').pop()));
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    if (refusal.status === 401) {
      visit = await call('GET', '/api/session');
      return show();
    }
    view = draw('div.empty', {role: 'alert'}, draw('h1', {}, refusal.status === 404 ? 'Page not found' : 'That did not work'), draw('p', {}, refusal.message));
  }
  if (mine === drawing) replace(...frame(visit.member, view, async () => proceed(await call('POST', '/api/sign-out'))));
}

document.addEventListener('click', event => {
  const link = event.target.closest('a[href^="/"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.getAttribute('href'));
});
addEventListener('popstate', show);

visit = await call('GET', '/api/session').catch(refusal => {
  replace(draw('div.empty', {role: 'alert'}, draw('h1', {}, 'Fernlight is not reachable'), draw('p', {}, refusal.message)));
});
if (visit) await show();

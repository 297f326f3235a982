// What all parts of the page use: making elements, asking the API, and going
// from one view to another.

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter(child => child != null));
  return element;
}

export const link = (href, ...children) => el('a', {href, 'data-view': true}, ...children);

// Refused is an answer in which the application says no, in its own words.
export class Refused extends Error {
  constructor(status, words) {
    super(words.join(' '));
    this.status = status;
    this.words = words;
  }
}

export async function api(method, path, body) {
  const token = document.querySelector('meta[name=csrf-token]').content;
  const response = await fetch('/api' + path, {
    method, headers: {'X-CSRF-Token': token, 'Content-Type': 'application/json'}, body: body && JSON.stringify(body),
  });
  if (response.status === 401) {
    go('/sign-in?' + new URLSearchParams({return: location.pathname + location.search}));
    return new Promise(() => {}); // this view is left
  }
  const answer = await response.json();
  if (!response.ok) throw new Refused(response.status, answer.errors);
  return answer;
}

// go opens another view without loading the page anew.
export function go(path) {
  history.pushState(null, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
}

let fading;

export function toast(text) {
  const place = document.querySelector('#toast');
  place.replaceChildren(el('p', {class: 'toast'}, text));
  clearTimeout(fading);
  fading = setTimeout(() => place.replaceChildren(), 4000);
}

const moment = new Intl.DateTimeFormat('en-US', {dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC'});

export const time = at => el('time', {datetime: at}, moment.format(new Date(at)));

export const nameOf = customer => customer.company || `${customer.firstName} ${customer.lastName}`.trim();

import {api, el, Refused} from './page.js';

export function signIn() {
  const email = el('input', {id: 'email', type: 'email', name: 'email', autocomplete: 'username'});
  const password = el('input', {id: 'password', type: 'password', name: 'password', autocomplete: 'current-password'});
  const button = el('button', {id: 'sign-in', class: 'primary'}, 'Sign in');
  const words = el('div', {});
  const submit = async event => {
    event.preventDefault();
    button.disabled = true;
    words.replaceChildren();
    try {
      await api('POST', '/session', {email: email.value, password: password.value});
    } catch (error) {
      button.disabled = false;
      words.replaceChildren(error instanceof Refused
        ? el('p', {id: 'sign-in-error', class: 'error', role: 'alert'}, error.message)
        : el('p', {class: 'error', role: 'alert'}, 'Crewdeck does not answer. Please try again.'));
      return;
    }
    const back = new URLSearchParams(location.search).get('return') ?? '';
    location.assign(/^\/(?![/\\])/.test(back) ? back : '/board');
  };
  return el('form', {id: 'sign-in-form', class: 'card door', onsubmit: submit, novalidate: true},
    el('h1', {}, 'Sign in to Crewdeck'), words,
    el('label', {for: 'email'}, 'Work e-mail'), email,
    el('label', {for: 'password'}, 'Password'), password, button);
}

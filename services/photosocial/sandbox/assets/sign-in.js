import {call} from './api.js';
import {draw, logo} from './draw.js';

// form is a form whose submit sends something; what is refused is told in it.
function form(id, send, proceed, ...parts) {
  const told = draw('p.refused', {id: 'sign-in-error', role: 'alert', hidden: true});
  const button = draw('button.button', {type: 'submit'}, id === 'code-form' ? 'Confirm' : 'Log in');
  const self = draw('form.card', {id, novalidate: true, onsubmit: async event => {
    event.preventDefault();
    told.hidden = true;
    button.disabled = true;
    try {
      proceed(await send(new FormData(self)));
    } catch (refusal) {
      told.textContent = refusal.message;
      told.hidden = false;
      button.disabled = false;
    }
  }}, ...parts, told, button);
  return self;
}

const page = (...parts) => draw('main.door', {}, draw('div.teaser', {'aria-hidden': 'true'},
  ...['story-a', 'story-b', 'story-c'].map(name => draw('span.' + name))), draw('div.entry', {}, logo(), ...parts));

export function signIn(proceed) {
  return page(form('sign-in-form', data => call('POST', '/api/sign-in', {email: data.get('email'), password: data.get('password')}), proceed,
    draw('h1', {}, 'Log in to see what your friends saw today'),
    draw('label', {for: 'email'}, 'Email address'),
    draw('input', {id: 'email', name: 'email', type: 'email', autocomplete: 'username', required: true}),
    draw('label', {for: 'password'}, 'Password'),
    draw('input', {id: 'password', name: 'password', type: 'password', autocomplete: 'current-password', required: true})),
  draw('p.muted', {}, 'New here? Ask a friend for an invitation.'));
}

export function enterCode(proceed) {
  return page(form('code-form', data => call('POST', '/api/sign-in/code', {code: data.get('code')}), proceed,
    draw('h1', {}, 'Enter your code'),
    draw('p.muted', {}, 'Open your authenticator app and type the six digits that it shows for Fernlight.'),
    draw('label', {for: 'code'}, 'Security code'),
    draw('input', {id: 'code', name: 'code', inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 6, pattern: '[0-9]{6}', required: true})));
}

import {call} from './api.js';
import {draw} from './draw.js';

const key = member => 'login-info:' + member.handle;

// wasAsked says whether this browser has put the question to the member before.
export const wasAsked = member => localStorage.getItem(key(member)) !== null;

// askToSave is the question that comes after a sign-in, before anything else.
export function askToSave(member, done) {
  const answer = save => async () => {
    if (save) await call('POST', '/api/saved-login').catch(() => {}); // not worth a message
    localStorage.setItem(key(member), save ? 'saved' : 'not now');
    done();
  };
  return draw('dialog.question', {id: 'login-info', 'aria-labelledby': 'login-info-title', oncancel: event => event.preventDefault()},
    draw('img.portrait', {src: member.picture, alt: ''}),
    draw('h1', {id: 'login-info-title'}, 'Save your login info?'),
    draw('p.muted', {}, `Next time you visit on this browser, ${member.name}, you only have to tap your picture.`),
    draw('button.button', {type: 'button', onclick: answer(true)}, 'Save info'),
    draw('button.quiet', {type: 'button', id: 'login-info-later', onclick: answer(false)}, 'Not now'));
}

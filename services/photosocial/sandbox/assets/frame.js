import {draw, logo} from './draw.js';

// frame is what stands around every view of a member.
export function frame(member, view, signOut) {
  const link = (href, text, id) => draw('a.nav', {href, id, 'aria-current': location.pathname === href ? 'page' : undefined}, text);
  return [
    draw('header.rail', {}, logo(), draw('nav', {'aria-label': 'Main'},
      link('/', 'Home'),
      link('/members/' + member.handle, 'Profile', 'profile-link')),
    draw('div.whoami', {}, draw('img.portrait', {src: member.picture, alt: ''}),
      draw('div', {}, draw('strong', {id: 'my-handle'}, member.handle), draw('button.linklike', {type: 'button', id: 'sign-out', onclick: signOut}, 'Log out')))),
    draw('main.stage', {}, view),
  ];
}

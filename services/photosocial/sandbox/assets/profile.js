import {call} from './api.js';
import {draw} from './draw.js';

export async function profile(handle) {
  const shown = await call('GET', '/api/members/' + encodeURIComponent(handle));
  const count = (number, word) => draw('li', {}, draw('strong', {}, number.toLocaleString('en-US')), ' ' + word);
  return draw('div.profile', {},
    draw('header', {}, draw('img', {src: shown.member.picture, alt: ''}), draw('div', {},
      draw('h1', {}, shown.member.handle, shown.own ? draw('span.badge', {}, 'You') : undefined),
      draw('ul.counts', {}, count(shown.posts.length, 'posts'), count(shown.followers, 'followers'), count(shown.following, 'following')),
      draw('p', {}, draw('strong', {}, shown.member.name)), draw('p.muted', {}, shown.about))),
    draw('div.grid', {}, shown.posts.map(post => draw('img', {src: post.picture, alt: post.caption, loading: 'lazy'}))));
}

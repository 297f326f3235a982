import {call} from './api.js';
import {ago, draw} from './draw.js';

export async function feed() {
  const [{stories}, first] = await Promise.all([call('GET', '/api/stories'), call('GET', '/api/feed')]);
  const list = draw('div.posts', {role: 'feed', 'aria-label': 'Posts'}, first.posts.map(card));
  const view = draw('div.feed', {}, draw('h1.unseen', {}, 'Home'), row(stories), list);
  if (first.next) view.append(more(list, first.next));
  return view;
}

// more brings the next posts when it comes into sight.
function more(list, next) {
  const end = draw('p.muted', {role: 'status'}, 'Loading more…');
  const watch = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting) return;
    watch.disconnect();
    const page = await call('GET', '/api/feed?after=' + next).catch(() => null);
    if (!page) {
      end.textContent = 'More posts could not be loaded.';
      return;
    }
    list.append(...page.posts.map(card));
    next = page.next;
    if (next) watch.observe(end);
    else end.textContent = 'You have seen it all.';
  });
  watch.observe(end);
  return end;
}

function row(stories) {
  return draw('section.stories', {'aria-label': 'Stories'}, stories.map(story =>
    draw('button.story', {type: 'button', 'aria-label': `Story of ${story.by.name}`, onclick: () => look(story)},
      draw('img', {src: story.by.picture, alt: ''}), draw('span', {}, story.by.handle.split('.')[0]))));
}

function look(story) {
  const box = draw('dialog.viewer', {'aria-label': `Story of ${story.by.name}`, onclose: () => box.remove()},
    draw('img', {src: story.picture, alt: `What ${story.by.name} saw today`}),
    draw('button.quiet', {type: 'button', onclick: () => box.close()}, 'Close'));
  document.body.append(box);
  box.showModal();
}

function card(post) {
  const count = draw('strong', {}, likes(post));
  const heart = draw('button.heart', {type: 'button', 'aria-label': 'Like', 'aria-pressed': String(post.liked), onclick: async () => {
    post = await call(post.liked ? 'DELETE' : 'PUT', `/api/posts/${post.id}/like`).catch(() => post);
    heart.setAttribute('aria-pressed', String(post.liked));
    count.textContent = likes(post);
  }}, '♥');
  return draw('article.card', {'data-post': post.id},
    draw('header', {}, draw('img.portrait', {src: post.by.picture, alt: ''}),
      draw('div', {}, draw('a.author', {href: '/members/' + post.by.handle}, post.by.handle), draw('span.muted', {}, post.place)),
      draw('time.muted', {datetime: post.postedAt}, ago(post.postedAt))),
    draw('img.picture', {src: post.picture, alt: post.caption, width: 560, height: 560}),
    draw('div.under', {}, heart, count, draw('span.muted', {}, `${post.comments} comments`)),
    draw('p', {}, draw('a.author', {href: '/members/' + post.by.handle}, post.by.handle), ' ' + post.caption));
}

const likes = post => post.likes.toLocaleString('en-US') + (post.likes === 1 ? ' like' : ' likes');

// The schedule board: a row for each crew, a column for each hour of a day.

import {api, el, go, link} from './page.js';

const opens = 7;
const closes = 19;

export async function board() {
  const asked = new URLSearchParams(location.search).get('day') ?? '';
  const {day, crews, jobs} = await api('GET', '/board?' + new URLSearchParams({day: asked}));
  const other = days => {
    const date = new Date(day + 'T00:00:00Z');
    date.setUTCDate(date.getUTCDate() + days);
    return '/board?day=' + date.toISOString().slice(0, 10);
  };
  const hours = Array.from({length: closes - opens}, (_, i) => el('span', {class: 'hour'}, `${opens + i}:00`));
  const rows = crews.map(crew => el('div', {class: 'crew'}, el('h2', {}, crew),
    el('div', {class: 'lane'}, jobs.filter(job => job.crew === crew).map(card))));
  return el('section', {id: 'board'},
    el('div', {class: 'head'}, el('h1', {}, 'Schedule'), el('p', {class: 'muted'}, new Date(day).toLocaleDateString('en-US', {dateStyle: 'full', timeZone: 'UTC'})),
      el('button', {type: 'button', class: 'quiet', onclick: () => go(other(-1))}, 'Day before'),
      el('button', {type: 'button', class: 'quiet', onclick: () => go(other(1))}, 'Day after')),
    el('div', {class: 'hours'}, hours), rows);
}

function card(job) {
  const start = new Date(job.start).getUTCHours();
  const box = link('/customers/' + job.customerId, el('strong', {}, job.what), el('span', {}, job.customer), el('span', {class: 'muted'}, job.place));
  box.className = 'job';
  box.style.left = (start - opens) / (closes - opens) * 100 + '%';
  box.style.width = job.hours / (closes - opens) * 100 + '%';
  return box;
}

import {ask, make, open, say} from './part.js';

// ScrolledList shows rows that come from its source in batches: the next one
// whenever the end of the list comes into sight. How many are there stands in
// data-shown.
export class ScrolledList extends HTMLElement {
  connectedCallback() {
    this.count = make('p', {class: 'count'});
    this.rows = make('div', {class: this.arrangement});
    this.foot = make('div', {class: 'more'}, 'Loading …');
    open(this).append(make('section', {'aria-label': this.getAttribute('label')}, this.count, this.rows, this.foot));
    this.next = this.getAttribute('source');
    this.watch = new IntersectionObserver(([sight]) => sight.isIntersecting && this.load(), {rootMargin: '120px'});
    this.watch.observe(this.foot);
  }

  async load() {
    this.watch.disconnect(); // until these rows are there
    try {
      const batch = await ask(this.next);
      this.next = batch.next;
      this.rows.append(...batch.rows.map(row => this.row(row)));
      this.count.textContent = `${batch.total} ${this.noun}${batch.total === 1 ? '' : 's'}`;
      this.dataset.shown = this.rows.childElementCount;
      if (this.next) return this.watch.observe(this.foot);
      this.foot.className = 'end';
      this.foot.textContent = batch.total ? 'That is all.' : this.getAttribute('nothing');
    } catch (error) {
      const again = make('button', {click: () => { this.foot.className = 'more'; this.foot.textContent = 'Loading …'; this.load(); }}, 'Try again');
      this.foot.className = '';
      this.foot.replaceChildren(say(error), again);
    }
  }
}

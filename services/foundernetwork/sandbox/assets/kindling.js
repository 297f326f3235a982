// Kindling is one page: what it shows depends on its address and on what the
// network answers.
const byId = (id) => document.getElementById(id);
const token = document.querySelector('meta[name="csrf-token"]').content;

// ask fetches JSON; a member who is signed out by now is led to the sign-in.
async function ask(path, options = {}) {
  const response = await fetch(path, options);
  if (response.status === 401) {
    window.location.assign(`/sign-in?return=${encodeURIComponent(window.location.pathname + window.location.search)}`);
    return new Promise(() => {}); // the page goes away
  }
  return { status: response.status, body: await response.json() };
}

const send = (path, form) => ask(path, { method: 'POST', headers: { 'X-CSRF-Token': token }, body: form });

function tell(element, text) {
  element.textContent = text ?? '';
  element.hidden = !text;
}

// The sign-in.

byId('sign-in').addEventListener('submit', async (event) => {
  event.preventDefault();
  tell(byId('sign-in-error'), '');
  const { status, body } = await send('/api/sign-in', new URLSearchParams(new FormData(event.target)));
  if (status !== 200) {
    tell(byId('sign-in-error'), body.error);
    return;
  }
  const back = new URLSearchParams(window.location.search).get('return') ?? '/deals';
  const next = new URL(back, window.location.origin);
  window.location.assign(next.origin === window.location.origin ? next.href : '/deals');
});

byId('sign-out').addEventListener('click', async () => {
  await send('/api/sign-out');
  window.location.assign('/sign-in');
});

// The list of deals, which grows when its end comes into sight.

const list = byId('deals');
const query = new URLSearchParams(window.location.search).get('q') ?? '';
let more = true;

function draw(deal) {
  const item = document.createElement('li');
  item.className = 'deal-card';
  item.dataset.deal = deal.id;
  const add = (tag, name, text) => {
    const element = document.createElement(tag);
    element.className = name;
    element.textContent = text;
    item.append(element);
    return element;
  };
  add('span', 'category', deal.category);
  add('a', 'title', deal.title).href = `/deals/${encodeURIComponent(deal.id)}`;
  add('span', 'partner', deal.partner);
  add('p', 'description', deal.description);
  add('p', 'eligibility', deal.eligibility);
  add('strong', 'savings', deal.savings);
  if (deal.lastDay) {
    add('time', 'last-day', `Until ${deal.lastDay}`).dateTime = deal.lastDay;
  }
  if (deal.inUseSince) {
    add('span', 'in-use', 'In use');
  }
  list.append(item);
}

async function grow() {
  if (!more || list.dataset.loading) {
    return;
  }
  list.dataset.loading = 'true';
  try {
    const from = list.children.length;
    const { body } = await ask(`/api/deals?${new URLSearchParams({ q: query, from })}`);
    body.deals.forEach(draw);
    more = body.more;
    if (!more) {
      byId('sentinel').hidden = true;
      tell(byId('end'), body.total === 0 ? 'No deal matches.' : `These are all ${body.total} deals.`);
    }
    list.setAttribute('aria-busy', 'false');
    delete list.dataset.loading;
    eye.unobserve(byId('sentinel')); // what is still in sight is told again
    eye.observe(byId('sentinel'));
  } catch {
    byId('trouble').hidden = false;
  }
}

const eye = new IntersectionObserver((seen) => {
  if (seen.some((entry) => entry.isIntersecting)) {
    grow();
  }
});

byId('search').addEventListener('submit', (event) => {
  event.preventDefault();
  window.location.assign(`/deals?${new URLSearchParams(new FormData(event.target))}`);
});

// One deal, in a dialog over the list.

const dialog = byId('deal');

function fill(deal) {
  for (const [id, text] of Object.entries({
    partner: deal.partner, category: deal.category, title: deal.title, description: deal.description,
    eligibility: deal.eligibility, savings: deal.savings, 'last-day': deal.lastDay ?? 'further notice', code: deal.code ?? '',
  })) {
    byId(`deal-${id}`).textContent = text;
  }
  tell(byId('deal-locked'), deal.locked);
  byId('deal-since').dateTime = deal.inUseSince ?? '';
  byId('deal-since').textContent = deal.inUseSince ? new Date(deal.inUseSince).toUTCString() : '';
  byId('deal-code-line').hidden = !deal.code;
  byId('deal-link').href = deal.link ?? '';
  byId('deal-redeem').hidden = !deal.inUseSince;
  byId('use').hidden = Boolean(deal.locked || deal.inUseSince);
  byId('deal-details').dataset.deal = deal.id;
  byId('deal-details').hidden = false;
}

async function open(path) {
  dialog.showModal();
  try {
    const { status, body } = await ask(path);
    if (status === 200) {
      fill(body);
    } else {
      tell(byId('deal-error'), body.error ?? 'This deal could not be loaded.');
      byId('deal-error').dataset.status = status;
    }
  } catch {
    tell(byId('deal-error'), 'This deal could not be loaded.');
  }
  byId('use').onclick = async () => {
    tell(byId('refusal'), '');
    byId('in-doubt').hidden = true;
    try {
      const answer = await send(`${path}/using`);
      if (answer.status === 200) {
        fill(answer.body);
      } else {
        tell(byId('refusal'), answer.body.error);
      }
    } catch {
      byId('in-doubt').hidden = false;
    }
  };
}

dialog.addEventListener('close', () => window.location.assign('/deals'));
byId('close').addEventListener('click', () => dialog.close());

// What the address says.

async function start() {
  const path = window.location.pathname;
  if (path === '/sign-in') {
    byId('sign-in').hidden = false;
    return;
  }
  const { body } = await ask('/api/me');
  byId('member-email').textContent = body.email;
  byId('member-plan').textContent = body.plan;
  byId('member').hidden = false;
  byId('directory').hidden = false;
  byId('query').value = query;
  eye.observe(byId('sentinel'));
  if (path.startsWith('/deals/')) {
    open(`/api${path}`);
  }
}

start();

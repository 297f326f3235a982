// The list of policies: the page comes empty, and asks for a page of rows at a
// time.
const table = document.getElementById('policies');
if (table) {
  const byId = (id) => document.getElementById(id);
  const spinner = byId('spinner'), next = byId('policies-next'), rows = byId('policy-rows'), trouble = byId('policies-trouble');
  let page = 1, asked = 0;

  const cell = (row, name, text) => {
    const td = row.insertCell();
    td.className = name;
    td.textContent = text;
    return td;
  };
  const draw = (policy) => {
    const row = table.tBodies[0].insertRow();
    row.dataset.policy = policy.id;
    for (const name of ['number', 'status', 'line', 'carrier', 'insured', 'from', 'until', 'premium', 'billing', 'producer']) {
      cell(row, name, policy[name]);
    }
    const list = document.createElement('ul');
    for (const coverage of policy.coverages) {
      const item = document.createElement('li');
      for (const name of ['name', 'limit', 'deductible']) {
        const part = document.createElement('span');
        part.className = name;
        part.textContent = coverage[name];
        item.append(part, ' ');
      }
      list.append(item);
    }
    cell(row, 'coverages', '').append(list);
  };
  const load = async () => {
    const turn = ++asked; // an answer that was asked for before another counts no more
    table.setAttribute('aria-busy', 'true');
    spinner.hidden = false;
    next.hidden = trouble.hidden = true;
    try {
      const response = await fetch(`/policies/rows?page=${page}&rows=${rows.value}`);
      if (response.redirected) { // nobody is signed in any more
        window.location.assign('/sign-in?return=/policies');
        return;
      }
      const answer = await response.json();
      if (turn !== asked) {
        return;
      }
      table.tBodies[0].replaceChildren();
      answer.rows.forEach(draw);
      byId('policies-shown').textContent = `Rows ${answer.first} to ${answer.last} of ${answer.total}`;
      next.hidden = !answer.more;
      table.setAttribute('aria-busy', 'false');
    } catch {
      trouble.hidden = false;
    }
    spinner.hidden = true;
  };
  next.addEventListener('click', () => { page++; load(); });
  rows.addEventListener('change', () => { page = 1; load(); });
  load();
}

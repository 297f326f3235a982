// What flows can hold on to on a page. Values of fields are not read.
() => {
  const most = {controls: 60, places: 40, groups: 5, fields: 20};
  const tests = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa', 'data-automation-id', 'data-hook'];
  const controlSelector = 'input:not([type=hidden]), select, textarea, button, [role=button], [contenteditable=true], a[href]';
  const clean = text => (text || '').replace(/\s+/g, ' ').trim().slice(0, 80);
  const quote = text => '"' + text.replace(/["\\]/g, '\\$&') + '"';
  const visible = e => { const box = e.getBoundingClientRect(); return box.width > 0 && box.height > 0; };
  const count = (selector, root = document) => { try { return root.querySelectorAll(selector).length; } catch { return 0; } };

  const labelledBy = e => (e.getAttribute('aria-labelledby') || '').split(/\s+/).map(id => document.getElementById(id)).filter(l => l).map(l => l.innerText).join(' ');
  const label = e => clean(labelledBy(e) || e.getAttribute('aria-label') || (e.labels && e.labels[0] && e.labels[0].innerText) || e.placeholder ||
    (e.matches('input[type=submit], input[type=button]') ? e.value : '') || (e.matches('input, select, textarea') ? '' : e.innerText) || e.title);
  const role = e => e.getAttribute('role') || (e.matches('a') ? 'link' : e.matches('button, input[type=submit], input[type=button], input[type=reset]') ? 'button' : '');

  // css lists selectors of an element, those first that are made to last.
  const css = e => {
    const list = tests.filter(a => e.getAttribute(a)).map(a => `[${a}=${quote(e.getAttribute(a))}]`);
    if (e.id) list.push('#' + CSS.escape(e.id));
    if (e.getAttribute('name') && e.matches('input, select, textarea, button')) list.push(`${e.localName}[name=${quote(e.getAttribute('name'))}]`);
    return list;
  };
  const classes = e => [...e.classList].map(c => '.' + CSS.escape(c));

  // describe names the role where the name alone finds something else too.
  const describe = (e, _, all) => {
    const name = label(e);
    const selectors = css(e).filter(s => count(s) === 1);
    const shared = role(e) && all.some(other => label(other) === name && role(other) !== role(e));
    if (name) selectors.push('aria/' + name + (shared ? `[role=${quote(role(e))}]` : ''));
    return {kind: e.getAttribute('role') || (e.localName === 'input' ? 'input ' + e.type : e.localName), label: name, selectors};
  };

  // fields of a row: what holds text, a link or a picture, found once in each row.
  const fieldsOf = rows => {
    const first = rows[0], found = [];
    const attributes = [...first.attributes].filter(a => a.name.startsWith('data-') && a.value && a.value.length < 80 && !tests.includes(a.name));
    for (const a of attributes.filter(a => rows.every(r => r.hasAttribute(a.name)))) {
      found.push({selectors: ['@' + a.name], sample: clean(a.value)});
    }
    for (const e of first.querySelectorAll('*')) {
      const own = clean([...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join(' '));
      const attribute = e.localName === 'img' ? 'src' : e.localName === 'a' && e.href ? 'href' : '';
      if (!own && !attribute) continue;
      let candidates = [...css(e), ...(e.getAttribute('itemprop') ? [`[itemprop=${quote(e.getAttribute('itemprop'))}]`] : []), ...classes(e)];
      const cell = first.localName === 'tr' && e.closest('td');
      if (cell) candidates.push(`td:nth-child(${[...first.children].indexOf(cell) + 1})` + (e === cell ? '' : ' ' + e.localName));
      candidates.push(e.localName);
      candidates = candidates.filter(s => rows.slice(0, 20).every(r => count(s, r) <= 1) &&
        (!s.startsWith('#') || rows.slice(0, 20).filter(r => count(s, r)).length > 1)); // an id is of one row
      if (!candidates.length) continue;
      let name = '';
      if (cell) {
        const head = first.closest('table').querySelectorAll('thead th')[[...first.children].indexOf(cell)];
        name = head ? clean(head.innerText) : '';
      }
      found.push({name, selectors: candidates, sample: own || clean(e.getAttribute(attribute)), attribute: own ? '' : attribute});
      if (own && attribute) found.push({name, selectors: candidates, sample: clean(e.getAttribute(attribute)), attribute});
    }
    return found.slice(0, most.fields);
  };

  const groups = [];
  for (const parent of document.querySelectorAll('body *')) {
    if (parent.children.length < 2 || parent.closest('select, svg, nav')) continue;
    const kinds = new Map();
    for (const child of parent.children) {
      if (!visible(child) || child.matches('script, style, th, td, option, button, input, label, p')) continue;
      const kind = child.localName + ' ' + (child.classList[0] || '');
      kinds.set(kind, [...(kinds.get(kind) || []), child]);
    }
    for (const rows of kinds.values()) {
      if (rows.length < 2 || rows[0].querySelector('th')) continue;
      const holders = [...css(parent), ...classes(parent), ...(parent.closest('table') ? [...css(parent.closest('table')), ...classes(parent.closest('table'))].map(s => s + ' tbody') : [])];
      const exact = s => { try { const all = [...document.querySelectorAll(s)]; return all.length === rows.length && all.every(e => rows.includes(e)); } catch { return false; } };
      const each = [...classes(rows[0]), ...holders.map(h => `${h} > ${rows[0].localName}`), ...(rows[0].localName === 'tr' ? ['tbody > tr'] : [])].filter(exact);
      const fields = fieldsOf(rows);
      if (each.length && fields.length) groups.push({each, rows: rows.length, fields, element: rows});
    }
  }
  groups.sort((a, b) => b.rows * b.fields.length - a.rows * a.fields.length);
  const best = groups.slice(0, most.groups);
  const inRow = e => best.some(g => g.element.some(r => r.contains(e)));
  // repeated reports whether a control is one of many in rows. A form that is laid out as a table has rows too, and each its own field.
  const twins = (a, b) => a.type === b.type && label(a) === label(b) && (a.name || '').replace(/\d/g, '') === (b.name || '').replace(/\d/g, '');
  const repeated = e => inRow(e) && (e.matches('a') || best.some(g => {
    const own = g.element.find(r => r.contains(e));
    return own && g.element.some(r => r !== own && [...r.querySelectorAll(e.localName)].some(other => twins(e, other)));
  }));

  const controls = [...document.querySelectorAll(controlSelector)].filter(e => visible(e) && !repeated(e)).slice(0, most.controls);
  const places = [...document.querySelectorAll('[id], ' + tests.map(a => `[${a}]`).join(', '))]
    .filter(e => visible(e) && !inRow(e) && !e.matches(controlSelector)).slice(0, most.places);
  return {
    title: clean(document.title),
    controls: controls.map(describe),
    places: places.map(e => ({kind: e.getAttribute('role') || e.localName, label: clean(e.getAttribute('aria-label') || e.innerText), selectors: css(e).filter(s => count(s) === 1)})),
    groups: best.map(({element, ...group}) => group),
  };
}

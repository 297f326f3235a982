// Roles and accessible names, as far as aria/ selectors need them: a short
// form of the Accessible Name computation (W3C accname-1.2).

const named = 'a[href],area,button,input,select,textarea,summary,option,label,img,svg,h1,h2,h3,h4,h5,h6,' +
  'li,td,th,tr,table,fieldset,form,dialog,nav,main,aside,header,footer,section,article,iframe,output,progress,meter,' +
  '[role],[aria-label],[aria-labelledby],[title]';

const implicitRoles = {
  A: 'link', AREA: 'link', BUTTON: 'button', SUMMARY: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', OPTION: 'option',
  IMG: 'img', SVG: 'img', LI: 'listitem', TD: 'cell', TH: 'columnheader', TR: 'row', TABLE: 'table', FIELDSET: 'group',
  FORM: 'form', DIALOG: 'dialog', NAV: 'navigation', MAIN: 'main', ASIDE: 'complementary', ARTICLE: 'article',
  P: 'paragraph', UL: 'list', OL: 'list', STRONG: 'strong', EM: 'emphasis', HR: 'separator', FIGURE: 'figure',
  TBODY: 'rowgroup', THEAD: 'rowgroup', TFOOT: 'rowgroup', SECTION: 'region', OUTPUT: 'status', PROGRESS: 'progressbar', METER: 'meter', HEADER: 'banner', FOOTER: 'contentinfo',
};
const inputRoles = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
  range: 'slider', number: 'spinbutton', search: 'searchbox',
};
const namedByContent = new Set(['button', 'link', 'heading', 'cell', 'columnheader', 'rowheader', 'gridcell', 'checkbox',
  'radio', 'switch', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'row', 'tab', 'tooltip', 'treeitem', 'listitem']);

function roleOf(element) {
  const explicit = element.getAttribute('role')?.trim().split(/\s+/)[0];
  if (explicit) return explicit;
  if (/^H[1-6]$/.test(element.tagName)) return 'heading';
  if (element.tagName === 'INPUT') return inputRoles[element.type] ?? 'textbox';
  return implicitRoles[element.tagName.toUpperCase()] ?? 'generic';
}

function accessibleName(element) {
  const labelledBy = element.getAttribute('aria-labelledby');
  if (labelledBy) {
    const root = element.getRootNode();
    const text = labelledBy.trim().split(/\s+/).map(id => contentName(root.getElementById?.(id))).join(' ');
    if (text.trim()) return text;
  }
  const label = element.getAttribute('aria-label');
  if (label?.trim()) return label;
  if (element.tagName === 'INPUT' && /^(submit|reset|button)$/.test(element.type)) {
    return element.value || {submit: 'Submit', reset: 'Reset'}[element.type] || element.title;
  }
  if (element.labels?.length) return [...element.labels].map(contentName).join(' ');
  if (/^(IMG|AREA|INPUT)$/.test(element.tagName) && element.alt) return element.alt;
  const caption = element.querySelector?.(':scope > legend, :scope > caption, :scope > title');
  if (caption) return caption.textContent;
  if (namedByContent.has(roleOf(element))) {
    const text = contentName(element);
    if (text.trim()) return text;
  }
  return element.title || element.getAttribute('placeholder') || '';
}

// isUndrawn tells what has no box, nor has one because its children stand for it.
const isUndrawn = element => element.checkVisibility?.() === false && getComputedStyle(element).display !== 'contents';

// contentName is the text of an element, pictures and labelled parts by name.
function contentName(element) {
  if (!element) return '';
  let text = '';
  const assigned = element.tagName === 'SLOT' ? element.assignedNodes({flatten: true}) : [];
  for (const child of assigned.length ? assigned : element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) text += child.data;
    else if (child.nodeType !== Node.ELEMENT_NODE || silent.has(child.tagName)) continue;
    else if (child.getAttribute('aria-hidden') === 'true' || isUndrawn(child)) continue;
    else if (child.getAttribute('aria-label')) text += ' ' + child.getAttribute('aria-label') + ' ';
    else if (child.tagName === 'IMG') text += ' ' + child.alt + ' ';
    else if (/^(INPUT|SELECT|TEXTAREA)$/.test(child.tagName)) continue;
    else text += getComputedStyle(child).display.startsWith('inline') ? contentName(child) : ' ' + contentName(child) + ' ';
  }
  return text;
}

// mentions tells cheaply whether a root has all words of a name somewhere in
// its text or its names. Working out the name of each element takes longer than
// the rest of a short flow, and most looks for a name are in vain: those for an
// overlay that is not there.
function mentions(root, wanted) {
  // What stands in a host may be slotted into its shadow tree.
  const texts = [(root.documentElement ?? root).textContent, root.host?.textContent, 'Submit Reset'];
  for (const element of root.querySelectorAll('[aria-label],[alt],[title],[placeholder],input')) {
    for (const name of ['aria-label', 'alt', 'title', 'placeholder']) texts.push(element.getAttribute(name));
    if (element.tagName === 'INPUT') texts.push(element.value);
  }
  const all = texts.join(' ').toLowerCase();
  return wanted.split(' ').every(word => all.includes(word));
}

// byName lists the elements of a name, of a role or of both.
function byName(root, wanted, role) {
  if (root.nodeType !== Node.ELEMENT_NODE && !mentions(root, wanted)) return [];
  const which = wanted ? named : '*'; // a role alone is any element's, such as generic
  const candidates = [...root.querySelectorAll(which)];
  if (root.nodeType === Node.ELEMENT_NODE && root.matches(which)) candidates.unshift(root);
  return candidates.filter(element =>
    (!role || roleOf(element) === role) && (!wanted || fold(accessibleName(element)) === wanted) && element.tagName !== 'LABEL');
}

// Finding elements. A selector is {by, value, role}; a chain of them leads
// from an ancestor or shadow host to the target; alternatives are chains.

const fold = text => (text ?? '').replace(/\s+/g, ' ').trim().toLowerCase();

// rootsOf lists a root and all open shadow roots below it, that of its own
// included: a row of a list may be a host.
function rootsOf(root) {
  const roots = root.shadowRoot ? [root, ...rootsOf(root.shadowRoot)] : [root];
  for (const element of root.querySelectorAll('*')) {
    if (element.shadowRoot) roots.push(...rootsOf(element.shadowRoot));
  }
  return roots;
}

function query(root, selector) {
  switch (selector.by) {
    case 'css': return [...root.querySelectorAll(selector.value)];
    case 'pierce': return piercing(root, r => [...r.querySelectorAll(selector.value)]);
    case 'xpath': return byXPath(root, selector.value);
    case 'text': return piercing(root, r => byText(r, fold(selector.value)));
    case 'aria': return piercing(root, r => byName(r, fold(selector.value), selector.role));
  }
  throw new Error('unknown kind of selector ' + selector.by);
}

// piercing gathers what each of the roots gives, in document order: a shadow
// tree has its place at its host.
function piercing(root, find) {
  const roots = rootsOf(root);
  const found = roots.flatMap(find);
  return roots.length === 1 ? found : found.map(element => ({element, way: wayTo(element)})).sort(byWay).map(({element}) => element);
}

// wayTo lists the hosts of the shadow trees that an element is in, and itself.
function wayTo(element) {
  const host = element.getRootNode().host;
  return host ? [...wayTo(host), element] : [element];
}

function byWay({way: a}, {way: b}) {
  const fork = a.findIndex((element, i) => element !== b[i]);
  if (fork < 0) return -1; // a is b, or hosts it
  if (!b[fork]) return 1;
  return a[fork].compareDocumentPosition(b[fork]) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

function byXPath(root, expression) {
  const doc = root.ownerDocument ?? (root.nodeType === Node.DOCUMENT_NODE ? root : document);
  // Within a row or a chain, //x means the row's own, in (//x)[1] and //x | //y too.
  const relative = root === doc ? expression : expression.replace(/("[^"]*"|'[^']*')|(^[\s(]*|\|[\s(]*)\//g, (all, text, before) => text ?? before + './');
  const found = doc.evaluate(relative, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  const nodes = [];
  for (let i = 0; i < found.snapshotLength; i++) {
    const node = found.snapshotItem(i);
    if (node.nodeType === Node.ELEMENT_NODE) nodes.push(node);
    else if (node.nodeType === Node.TEXT_NODE && node.parentElement) nodes.push(node.parentElement);
    else if (node.nodeType === Node.ATTRIBUTE_NODE) nodes.push(node.ownerElement);
  }
  return nodes;
}

const silent = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'TITLE']);

// writtenIn is the text of an element without that of scripts and the like.
function writtenIn(element) {
  if (!element.querySelector('script,style,noscript,template')) return element.textContent;
  return [...element.childNodes].map(child => {
    if (child.nodeType === Node.TEXT_NODE) return child.data;
    return child.nodeType === Node.ELEMENT_NODE && !silent.has(child.tagName) ? writtenIn(child) : '';
  }).join('');
}

// byText lists the innermost elements that hold a text.
function byText(root, wanted) {
  const found = [];
  const visit = element => {
    if (silent.has(element.tagName)) return false;
    if (/^(submit|button|reset)$/.test(element.type) && element.tagName === 'INPUT') {
      if (!fold(element.value).includes(wanted)) return false;
      found.push(element);
      return true;
    }
    if (!fold(element.textContent).includes(wanted) && !element.querySelector('input')) return false;
    let below = false;
    for (const child of element.children) below = visit(child) || below;
    if (!below && fold(writtenIn(element)).includes(wanted)) {
      found.push(element);
      below = true;
    }
    return below;
  };
  const top = root.nodeType === Node.DOCUMENT_NODE ? [root.body] : root.nodeType === Node.ELEMENT_NODE ? [root] : root.children;
  for (const element of top) if (element) visit(element);
  return found;
}

function matchesOf(root, chain) {
  let found = query(root, chain[0]);
  for (const selector of chain.slice(1)) {
    const next = new Set();
    for (const element of found) {
      const inside = element.shadowRoot ? query(element.shadowRoot, selector) : [];
      for (const match of inside.length ? inside : query(element, selector)) next.add(match);
    }
    found = [...next];
  }
  return found;
}

// firstOf looks for all alternatives and returns the first listed one with a
// match that fits, else why none does: fits returns '' or the reason.
function firstOf(root, alternatives, fits) {
  let reason = 'no alternative matched';
  for (const [alternative, chain] of alternatives.entries()) {
    for (const element of matchesOf(root, chain)) {
      const unfit = fits(element);
      if (!unfit) return {element, alternative};
      if (reason === 'no alternative matched') reason = `matched ${nameTag(element)}, but it is ${unfit}`;
    }
  }
  return {reason};
}

// nameTag describes an element, in a few words, without telling what a person
// wrote into it.
function nameTag(element) {
  const classes = [...element.classList].slice(0, 2).map(name => '.' + name).join('');
  return (element.tagName.toLowerCase() + (element.id ? '#' + element.id : '') + classes).slice(0, 120);
}

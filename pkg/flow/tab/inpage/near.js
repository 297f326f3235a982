// For who mends a flow that has broken: what a person could act on and read
// near the place where a selector should have matched. The picture of the page
// is taken after it, so that what nobody may see is blotted out here.

// What the page was last used on, by the flow or by itself.
let used = null;
for (const type of ['click', 'input', 'change']) {
  addEventListener(type, event => { used = event.composedPath()[0]; }, {capture: true, passive: true});
}

const regions = 'form,fieldset,dialog,[role=dialog],[role=alertdialog],table,article,section,nav,aside,header,footer,main';
const controls = 'button,summary,input:not([type=hidden]),select,textarea,label,legend,h1,h2,h3,h4,h5,h6,dialog,[contenteditable],' +
  '[role=button],[role=textbox],[role=combobox],[role=checkbox],[role=radio],[role=tab],[role=menuitem],[role=dialog],[role=alert]';
const telling = controls + ',a[href],caption,img[alt],iframe,[role],[aria-label]';

// near returns lines such as: button "Order at once" button#place.primary
function near(request) {
  const doc = documentOf(request.frame) ?? document;
  blot(request.secrets, request.fields);
  const lines = new Set();
  const list = (root, selector) => {
    for (const inner of rootsOf(root)) {
      for (const element of inner.querySelectorAll(selector)) {
        if (lines.size >= request.most) return;
        const line = isVisible(element) && describe(element, request.length);
        if (line) lines.add(line);
      }
    }
  };
  const region = regionOf(doc, request.sought ?? []);
  if (region) {
    list(region, controls);
    list(region, '*'); // its texts too
  }
  list(doc, controls); // before the links, of which a page has many
  list(doc, telling);
  return [...lines];
}

// regionOf is where the selectors should have matched: where a part of a chain
// still does, or what matches and does not fit; else where the page was used
// last, or the dialog that is open; null where nothing tells.
function regionOf(doc, sought) {
  for (const chain of sought) {
    for (let length = chain.length; length > 0; length--) {
      const [found] = matching(doc, chain.slice(0, length)).filter(isVisible);
      if (found) return length < chain.length ? found.shadowRoot ?? found : found.parentElement?.closest(regions) ?? null;
    }
  }
  const around = used?.isConnected && used.ownerDocument === doc ? used.closest?.(regions) : null;
  const open = [...doc.querySelectorAll('dialog[open],[role=dialog],[role=alertdialog]')].find(isVisible);
  return around ?? open ?? null;
}

function matching(doc, chain) {
  try {
    return matchesOf(doc, chain);
  } catch { // it may be a bad selector that broke the flow
    return [];
  }
}

const fieldTags = /^(INPUT|SELECT|TEXTAREA)$/;
const isButton = element => element.tagName === 'INPUT' && /^(submit|button|reset|image)$/.test(element.type);

// describe says what an element is, and never what stands in a field.
function describe(element, length) {
  const isTelling = element.matches(telling);
  if (!isTelling && (!ownText(element) || element.closest('button,a[href],label,select,textarea,[contenteditable]'))) return '';
  const role = roleOf(element);
  const kind = /^(LABEL|LEGEND|CAPTION|IFRAME)$/.test(element.tagName) ? element.tagName.toLowerCase() : isTelling ? role : 'text';
  const isField = fieldTags.test(element.tagName) && !isButton(element) || element.isContentEditable;
  let name = accessibleName(element);
  if (element.isContentEditable) name = element.getAttribute('aria-label') ?? '';
  if (!isField && !name.trim() && (kind === 'text' || /^(label|legend|caption|alert|status)$/.test(kind))) name = contentName(element);
  name = name.replace(/\s+/g, ' ').trim();
  if (!name && !isField) return '';
  return `${kind} ${JSON.stringify(name.slice(0, length))} ${nameTag(element)}`;
}

const ownText = element => [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim()) && !silent.has(element.tagName);

// blot hides the fields and texts that hold a secret, or all fields.
function blot(secrets, everyField) {
  const holds = text => secrets.some(secret => text.includes(secret));
  for (const root of documentsBelow(document).flatMap(rootsOf)) {
    for (const field of root.querySelectorAll('input,textarea')) {
      if (everyField && !isButton(field) || holds(field.value)) field.style.setProperty('-webkit-text-security', 'disc', 'important');
    }
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      if (holds(node.data)) node.data = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), node.data);
    }
  }
}

// documentsBelow lists a document and those in its frames, as far as they can
// be reached.
function documentsBelow(doc) {
  const inner = [...doc.querySelectorAll('iframe,frame')].map(frame => frame.contentDocument).filter(Boolean);
  return [doc, ...inner.flatMap(documentsBelow)];
}

globalThis.gateway.near = near;

// What state an element is in. Each function that judges one returns '' when
// it fits and otherwise the reason, to stand after "it is".

function isVisible(element) {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && element.checkVisibility({visibilityProperty: true});
}

const hidden = element => isVisible(element) ? '' : 'not visible';

const disabled = element =>
  element.matches(':disabled') || element.closest('[aria-disabled="true"]') ? 'disabled' : '';

function uneditable(element) {
  if (disabled(element)) return 'disabled';
  if (element.tagName === 'SELECT' || isToggle(element)) return '';
  if (element.readOnly) return 'read-only';
  const field = element.tagName === 'TEXTAREA' || element.tagName === 'INPUT' && element.type !== 'hidden';
  if (!field && !element.isContentEditable) return 'not a field to type into';
  return hidden(element);
}

const isToggle = element => element.tagName === 'INPUT' && /^(checkbox|radio)$/.test(element.type);

// holds reports whether inner is outer or within it, shadow trees included.
function holds(outer, inner) {
  for (let node = inner; node; node = node.assignedSlot ?? node.parentNode ?? node.host) {
    if (node === outer) return true;
  }
  return false;
}

// aboutToMove reports whether an animation of an element, or of one around it,
// has been asked for and waits for a frame to begin with, or has begun with
// this one: the next one shows it move.
function aboutToMove(element) {
  return element.ownerDocument.getAnimations().some(({pending, playState, currentTime, effect}) =>
    (pending || playState === 'running' && currentTime === 0) && effect?.target && holds(effect.target, element));
}

function hitAt(doc, x, y) {
  let hit = doc.elementFromPoint(x, y);
  while (hit?.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}

// pointIn is where to click an element, in its own frame's coordinates: the
// given offset, or the centre of its first line box.
function pointIn(element, goal) {
  const box = element.getBoundingClientRect();
  if (goal.offsetX !== undefined || goal.offsetY !== undefined) {
    return {x: box.left + (goal.offsetX ?? box.width / 2), y: box.top + (goal.offsetY ?? box.height / 2), box};
  }
  const line = [...element.getClientRects()].find(rect => rect.width > 0 && rect.height > 0) ?? box;
  return {x: line.left + line.width / 2, y: line.top + line.height / 2, box: line};
}

// clickPoint returns the point in the page's coordinates at which a click
// meets the element, or the reason why there is none.
function clickPoint(element, goal) {
  const doc = element.ownerDocument;
  let win = doc.defaultView;
  let point = pointIn(element, goal);
  if (point.x < 0 || point.y < 0 || point.x >= win.innerWidth || point.y >= win.innerHeight) {
    element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
    point = pointIn(element, goal);
  }
  const hit = hitAt(doc, point.x, point.y);
  const label = hit?.closest?.('label');
  if (!hit) return {reason: 'outside of the window'};
  if (!holds(element, hit) && !(label && label.control === element)) return {reason: 'covered by ' + nameTag(hit)};
  let {x, y} = point;
  while (win !== window) {
    const frame = win.frameElement;
    const box = frame.getBoundingClientRect();
    x += box.left + frame.clientLeft;
    y += box.top + frame.clientTop;
    win = win.parent;
    if (hitAt(win.document, x, y) !== frame) {
      frame.scrollIntoView({block: 'center', behavior: 'instant'});
      return {reason: 'in a frame that is covered'};
    }
  }
  return {x, y};
}

// textOf is what a person reads in an element: one line, spaces folded.
function textOf(element) {
  if (/^(INPUT|TEXTAREA)$/.test(element.tagName)) return element.value.trim();
  if (element.tagName === 'SELECT') return element.selectedOptions[0]?.label.trim() ?? '';
  return (element.innerText ?? element.textContent).replace(/\s+/g, ' ').trim();
}

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

// hitAt is the innermost element at a point. Text that is slotted into a shadow
// tree is reported as its host's, though what is around the slot gets the click.
function hitAt(doc, x, y) {
  let hit = doc.elementFromPoint(x, y);
  while (hit?.shadowRoot) {
    const root = hit.shadowRoot;
    const inner = root.elementsFromPoint(x, y).find(element => element.getRootNode() === root);
    if (!inner) break;
    hit = inner;
  }
  return hit;
}

// pointIn is where to click an element, in its own frame's coordinates: the
// given offset, or the centre of its first line box. The offset of a recording
// may lie outside of what the element is now.
function pointIn(element, goal) {
  const box = element.getBoundingClientRect();
  const {offsetX: x = box.width / 2, offsetY: y = box.height / 2} = goal;
  const given = goal.offsetX !== undefined || goal.offsetY !== undefined;
  if (given && x >= 0 && y >= 0 && x < box.width && y < box.height) return {x: box.left + x, y: box.top + y};
  const line = [...element.getClientRects()].find(rect => rect.width > 0 && rect.height > 0) ?? box;
  return {x: line.left + line.width / 2, y: line.top + line.height / 2};
}

// meets tells what a click at a point would meet instead of the element, ''
// if it meets that.
function meets(element, point) {
  const hit = hitAt(element.ownerDocument, point.x, point.y);
  if (!hit) return 'outside of the window';
  const label = hit.closest('label');
  return holds(element, hit) || label && label.control === element ? '' : 'covered by ' + nameTag(hit);
}

// clickPoint returns the point at which a click meets the element, in the
// coordinates of the outermost document that the script can look into, or the
// reason why there is none.
function clickPoint(element, goal) {
  const win = element.ownerDocument.defaultView;
  let point = pointIn(element, goal);
  let reason = meets(element, point);
  if (reason) { // it may lie outside of the window, or of a box that scrolls
    element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
    point = pointIn(element, goal);
    if (isOutside(win, point)) { // of an element that is larger than the window
      win.scrollBy({left: point.x - win.innerWidth / 2, top: point.y - win.innerHeight / 2, behavior: 'instant'});
      point = pointIn(element, goal);
    }
    reason = meets(element, point);
    if (reason) return {reason};
  }
  return inPage(win, point);
}

// textOf is what a person reads in an element: one line, spaces folded.
function textOf(element) {
  if (/^(INPUT|TEXTAREA)$/.test(element.tagName)) return element.value.trim();
  if (element.tagName === 'SELECT') return element.selectedOptions[0]?.label.trim() ?? '';
  return (element.innerText ?? element.textContent).replace(/\s+/g, ' ').trim();
}

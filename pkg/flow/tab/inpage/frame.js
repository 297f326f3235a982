// Frames: which documents the script can look into, and where in the page their
// points are.

// documentOf enters frames by their index; null while one is not there or
// belongs to another origin.
function documentOf(frame) {
  let win = window;
  for (const index of frame ?? []) {
    try {
      win = win.frames[index];
      if (!win?.document) return null;
    } catch {
      return null;
    }
  }
  return win.document;
}

// within looks into a goal's frame. One of another origin is left to the
// script in that frame.
function within(goal, look) {
  const doc = documentOf(goal.frame);
  if (doc) return look(doc);
  return {elsewhere: isElsewhere(goal.frame), reason: 'the frame is not there'};
}

function isElsewhere(frame) {
  let win = window;
  for (const index of frame ?? []) {
    win = win.frames[index];
    if (!win) return false;
    try {
      win.document;
    } catch {
      return true;
    }
  }
  return false;
}

// place tells where the script's own frame is: the indexes that lead to it from
// the page inwards, and whether it is out of reach for scripts around it.
function place() {
  const path = [];
  for (let win = window; win !== win.parent; win = win.parent) {
    const siblings = win.parent.frames;
    let index = 0;
    while (index < siblings.length && siblings[index] !== win) index++;
    path.unshift(index);
  }
  return {path, root: window.frameElement === null, address: location.href};
}

const isOutside = (win, {x, y}) => x < 0 || y < 0 || x >= win.innerWidth || y >= win.innerHeight;

// around moves a point of a frame's content into the coordinates around the frame.
function around(frame, {x, y}) {
  const box = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  return {
    x: box.left + (frame.clientLeft + parseFloat(style.paddingLeft) + x) * (box.width / frame.offsetWidth || 1),
    y: box.top + (frame.clientTop + parseFloat(style.paddingTop) + y) * (box.height / frame.offsetHeight || 1),
  };
}

// outward is around, for a point that is to be clicked: it must be in the window
// and the frame not covered there, or there is a reason.
function outward(frame, inner) {
  const win = frame.ownerDocument.defaultView;
  let point = around(frame, inner);
  if (isOutside(win, point)) {
    frame.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
    point = around(frame, inner);
  }
  if (isOutside(win, point)) { // the frame is larger than the window
    win.scrollBy({left: point.x - win.innerWidth / 2, top: point.y - win.innerHeight / 2, behavior: 'instant'});
    point = around(frame, inner);
  }
  const hit = hitAt(frame.ownerDocument, point.x, point.y);
  if (hit === frame) return point;
  return {reason: hit ? 'in a frame that is covered by ' + nameTag(hit) : 'outside of the window'};
}

// inPage is outward from frame to frame, as far as the script can look.
function inPage(win, point) {
  while (win !== window && !point.reason) {
    point = outward(win.frameElement, point);
    win = win.parent;
  }
  return point;
}

// through is inPage for a point in a frame of another origin, once that frame is
// still.
async function through({frame, x, y}) {
  const doc = documentOf(frame.slice(0, -1));
  const win = doc?.defaultView.frames[frame.at(-1)];
  const element = win && rootsOf(doc).flatMap(root => [...root.querySelectorAll('iframe,frame,object,embed')])
    .find(candidate => candidate.contentWindow === win);
  if (!element) return {reason: 'in a frame that cannot be found in the page'};
  const first = outward(element, {x, y});
  if (first.reason) return first;
  if (aboutToMove(element)) return {reason: 'in a frame that is moving'};
  await drawn();
  await drawn();
  const point = outward(element, {x, y});
  if (point.x !== first.x || point.y !== first.y) return {reason: point.reason ?? 'in a frame that is moving'};
  return inPage(doc.defaultView, point);
}

// drawn resolves with the next frame that is drawn; a page that is not drawn at
// all is not waited for.
const drawn = () => new Promise(resolve => {
  const timer = setTimeout(resolve, 200);
  requestAnimationFrame(() => {
    clearTimeout(timer);
    resolve();
  });
});

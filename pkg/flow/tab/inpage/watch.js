// Waiting for one of several goals. Goals are tried in their order, at once
// and whenever the page changes, until one is met or the time is over.

// What matched when the effect began; see baseline.
const old = new Map();
let clicked = null;
// What the last point was of.
let aimedAt = null;

// isOver tells whether the mouse is over that.
const isOver = () => [aimedAt, ...aimedAt?.labels ?? []].some(element => element?.matches(':hover'));

const keyOf = goal => JSON.stringify([goal.kind, goal.selectors, goal.url, goal.status, goal.frame]);

// fresh tells whether a match is news: after the effect step, what stood there
// before counts only once it has gone.
function fresh(goal, element) {
  return !goal.fresh || !old.get(keyOf(goal))?.has(element);
}

function forgetGone(goal, matches) {
  const before = goal.fresh && old.get(keyOf(goal));
  for (const element of before ? [...before] : []) if (!matches.includes(element)) before.delete(element);
}

// pattern compares with a text in which * is anything, and \* a star.
function pattern(text) {
  const special = /\\([\\*])|[\\^$.*+?()[\]{}|]/g;
  const source = text.replace(special, (found, escaped) => escaped ? '\\' + escaped : found === '*' ? '.*' : '\\' + found);
  return new RegExp('^' + source + '$', 's');
}

function atAddress(wanted) {
  const address = wanted.startsWith('/') ? location.pathname + location.search + location.hash : location.href;
  return pattern(wanted).test(address);
}

function seen(goal, fits) {
  return within(goal, doc => {
    if (goal.fresh) forgetGone(goal, goal.selectors.flatMap(chain => matchesOf(doc, chain)).filter(element => !fits(element)));
    const {element, alternative, reason} = firstOf(doc, goal.selectors, candidate => fits(candidate) || (fresh(goal, candidate) ? '' : 'older than the effect'));
    return element ? {found: true, alternative, text: textOf(element)} : {reason};
  });
}

const goals = {
  visible: goal => seen(goal, hidden),
  exists: goal => seen(goal, () => ''),

  // not: nothing visible, for as long as hold says.
  not: (goal, memo) => {
    goal = {selectors: [], ...goal};
    const {found: there, elsewhere} = seen({...goal, fresh: false}, hidden);
    if (elsewhere) return {elsewhere};
    if (there) memo.since = undefined;
    else memo.since ??= performance.now();
    if (there) old.delete(keyOf(goal));
    if (there) return {reason: 'it is still there'};
    if (goal.fresh && old.has(keyOf(goal))) return {reason: 'it was not there when the effect began either'};
    return performance.now() - memo.since >= (goal.hold ?? 0) ? {found: true} : {reason: 'it was there a moment ago', soon: true};
  },

  url: goal => {
    const there = (!goal.url || atAddress(goal.url)) && (!goal.title || pattern(goal.title).test(document.title));
    if (!there) old.delete(keyOf(goal));
    return there && !(goal.fresh && old.has(keyOf(goal))) ? {found: true} : {reason: 'the page has another address or title'};
  },

  status: goal => {
    const there = performance.getEntriesByType('navigation')[0]?.responseStatus === goal.status;
    return there && !(goal.fresh && old.has(keyOf(goal))) ? {found: true} : {reason: 'the page has another status'};
  },

  // count: as many matches as the step wants, all of them as it wants them;
  // with visible: false, no longer so.
  count: goal => within(goal, doc => {
    let alternative = goal.selectors.findIndex(chain => counted(doc, chain, goal).length > 0);
    if (alternative < 0) alternative = 0;
    const matches = counted(doc, goal.selectors[alternative], goal);
    const n = matches.length;
    const enough = {'>=': n >= goal.count, '<=': n <= goal.count, '==': n === goal.count}[goal.operator];
    const fit = matches.every(element => isAs(element, goal));
    if ((enough && fit) === (goal.visible !== false)) return {found: true, alternative};
    return {reason: `matched ${n} elements` + (enough && !fit ? ', but not with these attributes and properties' : '')};
  }),

  // point: where a click meets the element, once it is still.
  point: (goal, memo, frames) => within(goal, doc => {
    let at;
    const {element, alternative, reason} = firstOf(doc, goal.selectors, candidate => {
      const unfit = hidden(candidate) || disabled(candidate);
      if (unfit) return unfit;
      at = clickPoint(candidate, goal);
      return at.reason ?? '';
    });
    if (!element) {
      memo.last = undefined;
      return {reason};
    }
    const box = element.getBoundingClientRect();
    const place = [box.left, box.top, box.width, box.height].join();
    const drawn = doc.timeline.currentTime; // two frames of a busy page may show the same moment
    if (memo.last !== element || memo.place !== place) Object.assign(memo, {last: element, place, drawn, frames, since: performance.now()});
    // Time alone tells nothing: a busy page moves by frames that are late.
    const noFrames = 2000; // ms after which a page is taken not to be drawn at all
    if (aboutToMove(element)) memo.frames = frames + 1; // not yet in the next one
    if ((frames <= memo.frames || drawn <= memo.drawn) && performance.now() - memo.since < noFrames) return {reason: `matched ${nameTag(element)}, but it is moving`, soon: true};
    aimedAt = element;
    if (goal.mark) clicked = element;
    return {found: true, alternative, ...at};
  }),

  // gone: the element that was clicked last has left the page.
  gone: goal => {
    if (isElsewhere(goal.frame)) return {elsewhere: true};
    return !clicked?.isConnected || !isVisible(clicked) ? {found: true} : {reason: 'the clicked element is still there'};
  },

  focus: goal => within(goal, doc => {
    const {element, alternative, reason} = firstOf(doc, goal.selectors, hidden);
    const focused = doc.activeElement;
    if (element && (!focused || focused === doc.body)) element.focus();
    return element ? {found: true, alternative} : {reason};
  }),

  scroll: goal => within(goal, doc => {
    if (!goal.selectors) {
      doc.defaultView.scrollTo({left: goal.x, top: goal.y, behavior: 'instant'});
      return {found: true};
    }
    const {element, alternative, reason} = firstOf(doc, goal.selectors, hidden);
    element?.scrollTo({left: goal.x, top: goal.y, behavior: 'instant'});
    return element ? {found: true, alternative} : {reason};
  }),

  change: goal => within(goal, doc => {
    const {element, alternative, reason} = firstOf(doc, goal.selectors, candidate => unsettable(candidate, goal.value));
    return element ? {found: true, alternative, act: deadline => change(element, goal, deadline)} : {reason};
  }),

  read,
  ready: () => ({found: true}),
};

function counted(doc, chain, goal) {
  const matches = matchesOf(doc, chain);
  return goal.visible === undefined ? matches : matches.filter(isVisible);
}

function isAs(element, {attributes, properties}) {
  return Object.entries(attributes ?? {}).every(([name, value]) => element.getAttribute(name) === value) &&
    holdsAll(properties ?? {}, element);
}

// holdsAll reports whether a value is, or has all of, what is wanted.
function holdsAll(wanted, value) {
  if (wanted === null || typeof wanted !== 'object') return wanted === value;
  return value !== null && typeof value === 'object' && Object.entries(wanted).every(([key, inner]) => holdsAll(inner, value[key]));
}

// baseline notes what matches now, for goals that ask for news later. What goes
// and comes back before anybody looks again is news too, so it is watched. It
// returns which goals are for the script in another frame.
function baseline(request) {
  old.clear();
  const elsewhere = [];
  for (const [index, goal] of request.goals.entries()) {
    const doc = documentOf(goal.frame);
    const ofPage = goal.kind === 'url' || goal.kind === 'status';
    if (!ofPage && isElsewhere(goal.frame)) {
      elsewhere.push(index);
    } else if (ofPage || goal.kind === 'not') { // not of an element
      if (goals[goal.kind]({...goal, fresh: false, hold: 0}, {}).found) old.set(keyOf(goal), new Set());
    } else if (doc) {
      const fits = goal.kind === 'visible' ? isVisible : () => true;
      old.set(keyOf(goal), new Set(goal.selectors.flatMap(chain => matchesOf(doc, chain)).filter(fits)));
    }
  }
  const watched = request.goals.map(goal => ({...goal, fresh: true})).filter(goal => old.has(keyOf(goal)));
  const watcher = new MutationObserver(() => watched.forEach(goal => goals[goal.kind](goal, {})));
  for (const doc of new Set(watched.map(goal => documentOf(goal.frame)))) {
    if (doc) watcher.observe(doc, {subtree: true, childList: true, attributes: true, characterData: true});
  }
  const longest = 600_000; // ms that anybody may look for news
  if (watched.length) setTimeout(() => watcher.disconnect(), longest);
  return elsewhere;
}

// waits are the looks under way, by their ids.
const waits = new Map();

// stop ends a look after one more try.
const stop = id => waits.get(id)?.();

// wait resolves with the index of the goal that was met and what it found, or
// with goal -1 and the reasons when the time is over; at once, when some goals
// are for the script in another frame.
function wait(request) {
  const memos = request.goals.map(() => ({}));
  let deadline = performance.now() + request.timeout;
  const pause = 50; // for what no mutation tells: style sheets, animations, frames
  return new Promise((resolve, reject) => {
    let timer, frame, reasons;
    let frames = 0; // drawn since the beginning
    const observer = new MutationObserver(() => check());
    const end = () => {
      waits.delete(request.id);
      observer.disconnect();
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
    const check = () => {
      try {
        const met = tryGoals();
        if (met) {
          end();
          finish(met).then(resolve, reject);
        }
      } catch (error) {
        end();
        reject(error);
      }
    };
    const tryGoals = () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      let soon = false;
      let data;
      const elsewhere = [];
      reasons = ['the page is still loading'];
      if (document.readyState !== 'loading') reasons = [];
      else if (performance.now() < deadline) return next(false);
      else return {goal: -1, reasons};
      for (const [index, goal] of request.goals.entries()) {
        const outcome = goals[goal.kind](goal, memos[index], frames);
        if (outcome.found) return {goal: index, ...outcome};
        reasons.push(outcome.reason ?? '');
        data ??= outcome.data;
        soon ||= outcome.soon;
        if (outcome.elsewhere) elsewhere.push(index);
      }
      if (elsewhere.length) return {goal: -1, elsewhere, reasons, data};
      if (performance.now() >= deadline && !(soon && performance.now() < deadline + 100)) return {goal: -1, reasons, data};
      return next(soon);
    };
    const next = soon => {
      timer = setTimeout(check, Math.max(0, Math.min(pause, deadline - performance.now())));
      if (soon) frame = requestAnimationFrame(() => { frames++; check(); });
      return null;
    };
    waits.set(request.id, () => {
      deadline = performance.now();
      check();
    });
    observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    check();
  });
  async function finish(met) {
    const {act, found, ...reply} = met;
    if (act && !request.hold) {
      tell('acted ' + request.id);
      Object.assign(reply, await act(deadline));
      tell('settled ' + request.id);
    }
    reply.address = location.href;
    return reply;
  }
}

// settle returns when what the page scheduled for at once has run, a form's
// submission among it.
async function settle(id) {
  await new Promise(resolve => setTimeout(resolve));
  tell('settled ' + id);
}

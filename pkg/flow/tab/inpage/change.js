// Setting a field, with the events that a person's typing gives.

const pickers = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);

// unsettable returns why an element cannot take the value, '' if it can.
function unsettable(element, value) {
  const reason = uneditable(element);
  if (reason) return reason;
  if (element.tagName === 'SELECT' && !optionOf(element, value)) return 'without such an option';
  if (isToggle(element) && !toggleOf(element, value)) return 'a box that takes true or false';
  return '';
}

function optionOf(select, value) {
  const options = [...select.options].filter(option => !option.matches(':disabled, :disabled > option'));
  return options.find(option => option.value === value) ?? options.find(option => fold(option.label) === fold(value));
}

// toggleOf returns the box to set and how. A radio button also takes the value
// of a button of its group.
function toggleOf(element, value) {
  if (value === 'true' || value === 'false') return {box: element, checked: value === 'true'};
  if (element.type !== 'radio') return null;
  const group = [...element.getRootNode().querySelectorAll('input[type=radio]')].filter(radio =>
    radio.name === element.name && radio.form === element.form);
  const box = group.find(radio => radio.value === value);
  return box ? {box, checked: true} : null;
}

function fire(element, Type, name, init) {
  const Event = element.ownerDocument.defaultView[Type];
  return element.dispatchEvent(new Event(name, {bubbles: true, composed: true, ...init}));
}

function nativeSet(element, value) {
  const win = element.ownerDocument.defaultView;
  const prototype = win[{INPUT: 'HTMLInputElement', TEXTAREA: 'HTMLTextAreaElement'}[element.tagName]].prototype;
  Object.getOwnPropertyDescriptor(prototype, 'value').set.call(element, value);
}

function key(element, name, value) {
  const last = value.at(-1) ?? 'Backspace';
  // Not Enter for a line break: many pages send what was written then.
  fire(element, 'KeyboardEvent', name, {key: /[\r\n]/.test(last) ? 'Unidentified' : last, cancelable: true});
}

// longText is typed in one piece: an editor takes minutes for it otherwise.
const longText = 10000;

function type(element, value) {
  const doc = element.ownerDocument;
  if (pickers.has(element.type) || value.length > longText && !element.isContentEditable) {
    key(element, 'keydown', value);
    nativeSet(element, value);
    fire(element, 'InputEvent', 'input', {inputType: 'insertText'});
    key(element, 'keyup', value);
    return;
  }
  if (element.isContentEditable) doc.getSelection().selectAllChildren(element);
  else element.select();
  key(element, 'keydown', value);
  if (value || valueOf(element)) {
    const inputType = value ? 'insertText' : 'deleteContentBackward';
    // execCommand leaves this event out; an editor that takes it does the rest.
    const free = fire(element, 'InputEvent', 'beforeinput', {inputType, data: value || null, cancelable: true});
    if (free) doc.execCommand(value ? 'insertText' : 'delete', false, value);
  }
  key(element, 'keyup', value);
}

const valueOf = element => element.isContentEditable ? element.innerText.replace(/\n$/, '') : element.value;

// shownIn is a text as it is shown: a tab is one only where the page keeps it.
const shownIn = text => getComputedStyle(text.parentElement).whiteSpaceCollapse === 'collapse' ? text.data.replace(/[\t\n]/g, ' ') : text.data;

// linesOf is what a person sees in an editable element, line by line. Its
// innerText counts the <br> that only keeps an empty line open as one more line
// break, and has the blanks that keep their width in place of ordinary ones.
function linesOf(element) {
  let text = '';
  let begun = false; // there is a line
  let ended = false; // it has ended, and the next one has not begun
  const add = more => {
    text += (ended ? '\n' : '') + more;
    begun = true;
    ended = false;
  };
  const isBlock = node => node.nodeType === Node.ELEMENT_NODE && node !== element && node.tagName !== 'BR' &&
    !getComputedStyle(node).display.startsWith('inline');
  const visit = node => {
    if (node.nodeType === Node.TEXT_NODE && node.data) add(shownIn(node));
    else if (node.tagName === 'BR') add(!node.nextSibling || isBlock(node.nextSibling) ? '' : '\n');
    const block = isBlock(node);
    ended ||= block && begun;
    node.childNodes.forEach(visit);
    ended ||= block && begun;
  };
  visit(element);
  return text.replace(/\u00a0/g, ' ');
}

// leave takes the focus away; the browser tells of the change by itself only
// after some kinds of input, and a page must hear of it once.
function leave(element) {
  let told = false;
  const listen = () => { told = true; };
  element.addEventListener('change', listen, {capture: true});
  element.blur();
  element.removeEventListener('change', listen, {capture: true});
  if (!told && !element.isContentEditable) fire(element, 'Event', 'change');
}

// set returns false when the element left the page before it took anything.
function set(element, value) {
  if (isToggle(element)) {
    const {box, checked} = toggleOf(element, value);
    if (box.checked !== checked) box.click();
    return true;
  }
  element.focus();
  if (!element.isConnected) return false;
  if (element.tagName === 'SELECT') {
    element.value = optionOf(element, value).value;
    optionOf(element, value).selected = true;
    fire(element, 'InputEvent', 'input');
    fire(element, 'Event', 'change');
    element.blur();
    return true;
  }
  const before = valueOf(element);
  type(element, value);
  if (valueOf(element) !== before || before !== value) leave(element);
  else element.blur();
  return true;
}

// took reports whether a field holds what it was given, or what it was said
// that the page makes of it.
function took(element, goal) {
  if (isToggle(element)) {
    const {box, checked} = toggleOf(element, goal.value);
    return box.checked === checked;
  }
  if (element.tagName === 'SELECT') {
    const option = element.selectedOptions[0];
    return goal.expect === undefined ? option === optionOf(element, goal.value)
      : option && (option.value === goal.expect || fold(option.label) === fold(goal.expect));
  }
  const lines = text => text.replace(/\r\n?/g, '\n');
  const wanted = lines(goal.expect ?? goal.value);
  return lines(valueOf(element)) === wanted || element.isContentEditable && linesOf(element) === wanted.replace(/\u00a0/g, ' ');
}

// standing is what a field holds, to compare.
const standing = element => isToggle(element) ? element.checked : valueOf(element);

// change sets a field, leaves it and reads it back once the page has had time
// to react. A field that a re-render replaced is looked up again, and set again
// where that has undone it, a few times at most.
async function change(element, goal, deadline) {
  const find = () => firstOf(documentOf(goal.frame), goal.selectors, candidate => unsettable(candidate, goal.value)).element;
  for (let times = 1; ; times++) {
    const before = standing(element);
    const touched = set(element, goal.value);
    await new Promise(resolve => setTimeout(resolve));
    if (touched && element.isConnected) return took(element, goal) ? {} : {refused: true};
    let next = find();
    if (touched && (!next || took(next, goal))) return {};
    const undone = !touched || standing(next) === before;
    while (undone && !next && performance.now() < deadline) {
      await new Promise(resolve => setTimeout(resolve, 20));
      next = find();
    }
    if (!undone || !next || times === 5) return {refused: true};
    element = next;
  }
}

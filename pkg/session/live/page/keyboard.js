// The keyboard of this machine becomes the page's.
//
// A text field that nobody sees has the focus, because only that brings up a
// telephone's keyboard, an input method and the paste of the clipboard. Keys go
// on as keys; what an input method composes goes on as composed text.

const mac = /Mac|iPhone|iPad/.test(navigator.platform);
const mostText = 200_000; // characters of one paste
const mostHeld = 2_000; // milliseconds that typing waits for a copy
const anchor = '\u200b'; // what the field holds, so that there is something for a telephone's delete key to delete

// modifiers are those of an event, as the DevTools protocol counts them.
export function modifiers(event) {
  return (event.altKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0);
}

export class Keyboard {
  #field;
  #send; // (method, params) → promise, to the shown tab
  #onshortcut;
  #last = Promise.resolve(); // answer to what was sent last
  #held = Promise.resolve(); // until then nothing is sent
  #pressed = new Map(); // code → its keyUp
  #composing = false;

  // onshortcut is told of the keys that are this window's own: leave, address,
  // reload, back, forward; of copy, which is the page's as well; and of tooLong,
  // for a text that is.
  constructor(field, send, onshortcut) {
    this.#field = field;
    this.#send = send;
    this.#onshortcut = onshortcut;
    field.addEventListener('keydown', event => this.#down(event));
    field.addEventListener('keyup', event => this.#up(event));
    field.addEventListener('input', event => this.#input(event));
    field.addEventListener('compositionstart', () => { this.#composing = true; });
    field.addEventListener('compositionupdate', event => this.#compose(event.data));
    field.addEventListener('compositionend', event => this.#composed(event.data));
    field.addEventListener('paste', event => { event.preventDefault(); this.insert(event.clipboardData.getData('text/plain')); });
    field.addEventListener('focus', () => this.#reset());
    field.addEventListener('blur', () => this.#releaseAll());
    this.#reset();
  }

  focus() { this.#field.focus({preventScroll: true}); }

  get focused() { return document.activeElement === this.#field; }

  // insert puts text where the page's caret is.
  insert(text) {
    if (text.length > mostText) return this.#onshortcut('tooLong');
    if (text) this.#put('Input.insertText', {text: text.replace(/\r\n?/g, '\n')});
  }

  // press is a key that is pressed and let go.
  press(key, code, windowsVirtualKeyCode, text) {
    const all = {key, code, windowsVirtualKeyCode};
    this.#put('Input.dispatchKeyEvent', {type: text ? 'keyDown' : 'rawKeyDown', ...all, text});
    return this.#put('Input.dispatchKeyEvent', {type: 'keyUp', ...all});
  }

  #put(method, params) {
    this.#last = this.#held.then(() => this.#send(method, params));
    return this.#last;
  }

  // hold acts once the page has taken what was typed before, and has what is typed
  // from now on wait for it.
  #hold(act) {
    this.#held = Promise.race([
      this.#last.then(act),
      new Promise(resolve => setTimeout(resolve, mostHeld)),
    ]).catch(() => {});
  }

  #down(event) {
    // An input method, and a telephone's keyboard, tell what they mean in the events after this one.
    if (event.isComposing || event.keyCode === 229) return;
    const shortcut = this.#shortcut(event);
    if (shortcut === 'local') return;
    event.preventDefault();
    if (shortcut === 'copy') this.#hold(() => this.#onshortcut(shortcut));
    else if (shortcut) return this.#onshortcut(shortcut);
    const key = this.#translate(event);
    this.#pressed.set(event.code, {...key, type: 'keyUp'});
    const text = this.#text(event);
    this.#put('Input.dispatchKeyEvent', {
      ...key, type: text ? 'keyDown' : 'rawKeyDown', text, unmodifiedText: text, autoRepeat: event.repeat,
    });
  }

  #up(event) {
    const up = this.#pressed.get(event.code);
    if (!up) return;
    event.preventDefault();
    this.#pressed.delete(event.code);
    this.#put('Input.dispatchKeyEvent', {...up, modifiers: this.#modifiers(event)});
    // A Mac does not tell that other keys were let go while the command key was held.
    if (event.key === 'Meta') this.#releaseAll();
  }

  #releaseAll() {
    for (const up of this.#pressed.values()) this.#put('Input.dispatchKeyEvent', {...up, modifiers: 0});
    this.#pressed.clear();
  }

  #shortcut(event) {
    const command = mac ? event.metaKey : event.ctrlKey;
    if (event.key === 'F6') return 'leave';
    if (event.key === 'F5' || command && event.code === 'KeyR') return 'reload';
    if (command && event.code === 'KeyL') return 'address';
    if (event.altKey && event.key === 'ArrowLeft' || mac && event.metaKey && event.key === '[') return 'back';
    if (event.altKey && event.key === 'ArrowRight' || mac && event.metaKey && event.key === ']') return 'forward';
    if (event.key === 'F11' || event.key === 'F12' || command && event.shiftKey && event.code === 'KeyI') return 'local';
    if (command && !event.shiftKey && (event.code === 'KeyC' || event.code === 'KeyX')) return 'copy';
    if (command && event.code === 'KeyV') return 'local'; // a paste event follows
    return '';
  }

  // The browser of the session runs on Linux: what the command key does on a Mac,
  // the control key does there.
  #modifiers(event) {
    const bits = modifiers(event);
    if (event.getModifierState('AltGraph')) return bits & ~3; // it writes a character, and is no command
    return mac && bits & 4 ? bits & ~4 | 2 : bits;
  }

  #translate(event) {
    const command = mac && event.key === 'Meta';
    return {
      modifiers: this.#modifiers(event),
      key: command ? 'Control' : event.key,
      code: command ? 'ControlLeft' : event.code,
      windowsVirtualKeyCode: command ? 17 : event.keyCode,
      location: event.location,
      isKeypad: event.location === KeyboardEvent.DOM_KEY_LOCATION_NUMPAD,
    };
  }

  #text(event) {
    if (this.#modifiers(event) & 6) return undefined;
    if (event.key === 'Enter') return '\r';
    return [...event.key].length === 1 ? event.key : undefined;
  }

  // What comes without a key: a telephone's keyboard, dictation, a list of emoji.
  #input(event) {
    if (this.#composing) return;
    switch (event.inputType) {
    case 'deleteContentBackward': case 'deleteWordBackward': case 'deleteSoftLineBackward':
      this.press('Backspace', 'Backspace', 8);
      break;
    case 'deleteContentForward':
      this.press('Delete', 'Delete', 46);
      break;
    case 'insertLineBreak': case 'insertParagraph':
      this.press('Enter', 'Enter', 13, '\r');
      break;
    default:
      this.insert(this.#field.value.replace(anchor, ''));
    }
    this.#reset();
  }

  #compose(text) {
    if (!this.#composing) return;
    this.#put('Input.imeSetComposition', {text, selectionStart: text.length, selectionEnd: text.length});
  }

  #composed(text) {
    this.#composing = false;
    if (text) this.insert(text);
    else this.#put('Input.imeSetComposition', {text: '', selectionStart: 0, selectionEnd: 0});
    // The input event that may follow must find nothing more to insert.
    this.#reset();
    queueMicrotask(() => this.#reset());
  }

  #reset() {
    if (this.#field.value === anchor) return;
    this.#field.value = anchor;
    this.#field.setSelectionRange(1, 1);
  }
}

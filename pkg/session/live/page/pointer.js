// Mouse, wheel and fingers on the picture become those of the page.
//
// One finger is the page's; it taps and scrolls there. Two fingers zoom this
// window, which the browser does by itself (touch-action in stage.css).

import {modifiers} from './keyboard.js';

const buttons = ['left', 'middle', 'right', 'back', 'forward'];
const doubleClick = 500; // milliseconds between the clicks of one
const near = 5; // pixels that they may be apart
const line = 40; // pixels that a wheel's line stands for

export class Pointer {
  #canvas;
  #screen;
  #send; // (method, params) → promise, to the shown tab
  #on;
  #last = {time: 0, count: 0, x: 0, y: 0, button: ''};
  #move; // a movement that is not sent yet
  #wheel;
  #finger; // id of the pointer that is the page's finger
  #busy = false; // a movement or a turn of the wheel is under way
  #frame = 0;

  // onpress is called at each press, with whether it was a finger's; onrelease when
  // it is over, with the promise of the browser's answer and its place in this window.
  constructor(canvas, screen, send, {onpress, onrelease}) {
    this.#canvas = canvas;
    this.#screen = screen;
    this.#send = send;
    this.#on = {down: onpress, up: onrelease};
    canvas.addEventListener('pointerdown', event => this.#down(event));
    canvas.addEventListener('pointermove', event => this.#moved(event));
    canvas.addEventListener('pointerup', event => this.#up(event));
    canvas.addEventListener('pointercancel', event => this.#cancel(event));
    canvas.addEventListener('wheel', event => this.#turned(event), {passive: false});
    canvas.addEventListener('contextmenu', event => event.preventDefault());
    canvas.addEventListener('mousedown', event => event.preventDefault()); // keeps the focus where it is
    canvas.addEventListener('auxclick', event => event.preventDefault());
  }

  #down(event) {
    if (event.pointerType === 'touch') return this.#touchDown(event);
    const point = this.#screen.point(event.clientX, event.clientY);
    if (!point) return;
    event.preventDefault();
    this.#canvas.setPointerCapture(event.pointerId);
    this.#on.down(false);
    this.#flush();
    this.#mouse('mousePressed', event, point, this.#clicks(event));
  }

  #moved(event) {
    if (event.pointerType === 'touch' && event.pointerId !== this.#finger) return;
    this.#move = event;
    this.#schedule();
  }

  #up(event) {
    if (event.pointerType === 'touch') return this.#touchUp(event, 'touchEnd');
    const point = this.#screen.point(event.clientX, event.clientY, true);
    if (!point) return;
    this.#flush();
    this.#on.up(this.#mouse('mouseReleased', event, point, this.#last.count), place(event));
  }

  #cancel(event) {
    if (event.pointerType === 'touch') this.#touchUp(event, 'touchCancel');
    else this.#up(event);
  }

  #touchDown(event) {
    if (this.#finger !== undefined) return this.#touchUp({pointerId: this.#finger}, 'touchCancel'); // the second finger
    const point = this.#screen.point(event.clientX, event.clientY);
    if (!point || !event.isPrimary) return;
    this.#finger = event.pointerId;
    this.#last = {...this.#last, touch: {x: event.clientX, y: event.clientY, moved: false}};
    this.#on.down(true);
    this.#send('Input.dispatchTouchEvent', {type: 'touchStart', touchPoints: [point], modifiers: modifiers(event)});
  }

  #touchUp(event, type) {
    if (event.pointerId !== this.#finger) return;
    this.#flush();
    this.#finger = undefined;
    const done = this.#send('Input.dispatchTouchEvent', {type, touchPoints: []});
    if (type === 'touchEnd' && !this.#last.touch.moved) this.#on.up(done, place(event));
  }

  #turned(event) {
    event.preventDefault();
    const point = this.#screen.point(event.clientX, event.clientY);
    if (!point) return;
    const unit = [1, line, this.#canvas.clientHeight][event.deltaMode] * this.#screen.scale;
    const before = this.#wheel ?? {deltaX: 0, deltaY: 0};
    this.#wheel = {
      ...point, modifiers: modifiers(event),
      deltaX: before.deltaX + event.deltaX * unit, deltaY: before.deltaY + event.deltaY * unit,
    };
    this.#schedule();
  }

  #clicks(event) {
    const button = buttons[event.button];
    const again = event.timeStamp - this.#last.time < doubleClick && button === this.#last.button &&
      Math.hypot(event.clientX - this.#last.x, event.clientY - this.#last.y) < near;
    this.#last = {time: event.timeStamp, button, x: event.clientX, y: event.clientY, count: again ? this.#last.count + 1 : 1};
    return this.#last.count;
  }

  #mouse(type, event, point, clickCount = 0) {
    const held = event.buttons === 1 ? 'left' : event.buttons === 2 ? 'right' : event.buttons === 4 ? 'middle' : 'none';
    return this.#send('Input.dispatchMouseEvent', {
      type, ...point, clickCount, buttons: event.buttons, modifiers: modifiers(event), pointerType: 'mouse',
      button: type === 'mouseMoved' ? held : buttons[event.button] ?? 'none',
    });
  }

  // Movements and turns of the wheel are sent once a frame, and one at a time:
  // what comes faster than the browser takes it is put together.
  #schedule() {
    if (this.#busy || this.#frame) return;
    this.#frame = requestAnimationFrame(async () => {
      this.#frame = 0;
      this.#busy = true;
      await Promise.allSettled([this.#flush(), this.#flushWheel()]);
      this.#busy = false;
      if (this.#move || this.#wheel) this.#schedule();
    });
  }

  #flush() {
    const event = this.#move;
    this.#move = undefined;
    if (!event) return undefined;
    const point = this.#screen.point(event.clientX, event.clientY, event.buttons !== 0);
    if (!point) return undefined;
    if (event.pointerType !== 'touch') return this.#mouse('mouseMoved', event, point);
    if (event.pointerId !== this.#finger) return undefined;
    const touch = this.#last.touch;
    if (Math.hypot(event.clientX - touch.x, event.clientY - touch.y) > near) touch.moved = true;
    return this.#send('Input.dispatchTouchEvent', {type: 'touchMove', touchPoints: [point]});
  }

  #flushWheel() {
    const wheel = this.#wheel;
    this.#wheel = undefined;
    return wheel && this.#send('Input.dispatchMouseEvent', {type: 'mouseWheel', ...wheel});
  }
}

function place(event) { return {x: event.clientX, y: event.clientY}; }

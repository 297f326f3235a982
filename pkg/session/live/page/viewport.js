// Fit: the page is laid out for this window, as on a machine of its size, instead
// of for the size that the session was opened with.
//
// It holds for the shown tab, and as long as this client is connected: Chromium
// forgets it with the connection.

// aboveKeyboard keeps this page above a telephone's keyboard, which else covers it.
export function aboveKeyboard() {
  window.visualViewport?.addEventListener('resize', () => {
    // While it is zoomed, less of it is seen because that is wanted.
    if (Math.abs(visualViewport.scale - 1) < 0.01) document.body.style.height = visualViewport.height + 'px';
  });
}

export class Viewport {
  #send; // (method, params, session)
  #stage;
  #button;
  #session;
  #size = ''; // that the session has been given

  constructor(stage, button, send) {
    this.#stage = stage;
    this.#button = button;
    this.#send = send;
    button.addEventListener('click', () => { this.fits = !this.fits; this.apply(); });
    this.fits = matchMedia('(max-width: 640px)').matches;
  }

  get fits() { return this.#button.getAttribute('aria-pressed') === 'true'; }

  set fits(on) { this.#button.setAttribute('aria-pressed', String(on)); }

  // show is called when another tab is shown.
  show(session) {
    if (this.#session && this.#session !== session) this.#clear();
    this.#session = session;
    this.#size = '';
    this.apply();
  }

  // forget is called when a tab has gone.
  forget(session) {
    if (this.#session === session) this.#session = undefined;
  }

  // apply is called when the window's size has changed as well.
  apply() {
    if (!this.#session) return;
    const width = Math.max(this.#stage.clientWidth, 240), height = Math.max(this.#stage.clientHeight, 240);
    const size = `${width}×${height}`;
    if (!this.fits) return this.#size && this.#clear();
    if (size === this.#size) return;
    this.#size = size;
    this.#send('Emulation.setDeviceMetricsOverride', {
      width, height, deviceScaleFactor: Math.min(devicePixelRatio, 2), mobile: width <= 640,
    }, this.#session);
  }

  #clear() {
    if (this.#size) this.#send('Emulation.clearDeviceMetricsOverride', {}, this.#session);
    this.#size = '';
  }
}

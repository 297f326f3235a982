// The picture of the shown tab.
//
// Chromium sends a frame when something has changed, and only a few ahead of the
// acknowledgements. A frame is acknowledged when it has been drawn: whoever draws
// slowly gets fewer frames, not late ones.

const quality = 60; // of JPEG, as measured: 26–47 frames a second at 57–81 KiB
const patience = 4_000; // milliseconds until a frame that does not come is asked for again
const settle = 250; // milliseconds that a window's size must hold, and a page has to take to its own
const mostPixels = 2560; // of a frame's longer side

export class Screen extends EventTarget {
  #connection;
  #canvas;
  #stage;
  #context;
  #session; // DevTools session whose picture is shown
  #frame; // metadata of what is drawn; undefined while nothing of the session is
  #due = false; // a frame has been asked for, and none has come since
  #size = {}; // that frames may have at most
  #drawing = Promise.resolve();
  #again; // timer
  #resized; // timer
  #renewing; // timer

  constructor(canvas, stage) {
    super();
    this.#canvas = canvas;
    this.#stage = stage;
    this.#context = canvas.getContext('2d', {alpha: false});
    new ResizeObserver(() => this.#fit(true)).observe(stage);
  }

  // connect takes frames from a new connection.
  connect(connection) {
    this.#connection = connection;
    this.#session = this.#frame = undefined;
    connection.listen((method, params, session) => {
      if (connection !== this.#connection || session !== this.#session || !session) return;
      if (method === 'Page.screencastFrame') this.#drawing = this.#drawing.then(() => this.#draw(connection, session, params));
      if (method === 'Page.screencastVisibilityChanged') this.#tell('visible', params.visible);
    });
  }

  // show changes to the picture of another DevTools session; undefined for none.
  show(session) {
    if (this.#session && this.#session !== session) this.#connection.tell('Page.stopScreencast', {}, this.#session);
    this.#session = session;
    this.blank();
    this.#ask();
  }

  // forget is show(undefined) for a DevTools session that has gone.
  forget(session) {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.blank();
  }

  // blank forgets the picture: it is grey, and there is nothing to click at.
  blank() {
    this.#frame = undefined;
    this.#canvas.dataset.stale = '';
  }

  // renew asks for a frame of a page whose size has been changed: of one that then
  // stands still, Chromium may send none.
  renew() {
    clearTimeout(this.#renewing);
    this.#renewing = setTimeout(() => this.#ask(), settle);
  }

  // point is the place on the page, in its CSS pixels, that is drawn at a place of
  // this window; undefined outside of the picture, and while there is none.
  point(clientX, clientY, clamp = false) {
    if (!this.#frame) return undefined;
    const box = this.#canvas.getBoundingClientRect();
    let across = (clientX - box.left) / box.width;
    let down = (clientY - box.top) / box.height;
    if (clamp) {
      across = Math.min(Math.max(across, 0), 0.9999);
      down = Math.min(Math.max(down, 0), 0.9999);
    } else if (across < 0 || across >= 1 || down < 0 || down >= 1) {
      return undefined;
    }
    // A page that is zoomed by fingers is larger than its picture shows.
    const {deviceWidth, deviceHeight, offsetTop, pageScaleFactor} = this.#frame;
    return {
      x: across * deviceWidth / pageScaleFactor,
      y: (down * deviceHeight - offsetTop) / pageScaleFactor,
    };
  }

  // scale is how many pixels of the session's window one of this window shows.
  get scale() { return this.#frame ? this.#frame.deviceWidth / this.#canvas.getBoundingClientRect().width : 1; }

  // ask has frames sent that are no larger than they can be shown.
  #ask() {
    clearTimeout(this.#again);
    this.#size = this.#most();
    if (!this.#session) return;
    this.#due = true;
    // One that runs already is not changed by another start.
    this.#connection.tell('Page.stopScreencast', {}, this.#session);
    this.#connection.tell('Page.startScreencast', {format: 'jpeg', quality, everyNthFrame: 1, ...this.#size}, this.#session);
    this.#again = setTimeout(() => { if (this.#due && !document.hidden) this.#ask(); }, patience);
  }

  #most() {
    const pixels = length => Math.min(Math.max(Math.ceil(length * devicePixelRatio), 320), mostPixels);
    return {maxWidth: pixels(this.#stage.clientWidth), maxHeight: pixels(this.#stage.clientHeight)};
  }

  async #draw(connection, session, {data, metadata, sessionId: number}) {
    try {
      const image = new Image();
      image.src = 'data:image/jpeg;base64,' + data;
      await image.decode();
      await new Promise(requestAnimationFrame);
      if (session === this.#session) this.#put(image, metadata);
    } catch {
      // A picture that cannot be read is as good as none; the next one may be.
    }
    // A screencast that has been stopped waits for nothing.
    if (session === this.#session) connection.tell('Page.screencastFrameAck', {sessionId: number}, session);
  }

  #put(image, metadata) {
    const first = !this.#frame;
    this.#due = false;
    this.#frame = {...metadata, pageScaleFactor: metadata.pageScaleFactor || 1, offsetTop: metadata.offsetTop || 0};
    if (this.#canvas.width !== image.naturalWidth || this.#canvas.height !== image.naturalHeight) {
      this.#canvas.width = image.naturalWidth;
      this.#canvas.height = image.naturalHeight;
    }
    this.#context.drawImage(image, 0, 0);
    this.#fit(false);
    if (!first) return;
    delete this.#canvas.dataset.stale;
    this.#tell('picture');
  }

  // fit shows the picture whole and never larger than the page is.
  #fit(resized) {
    if (this.#frame) {
      const {deviceWidth, deviceHeight} = this.#frame;
      const scale = Math.min(1, this.#stage.clientWidth / deviceWidth, this.#stage.clientHeight / deviceHeight);
      this.#canvas.style.width = deviceWidth * scale + 'px';
      this.#canvas.style.height = deviceHeight * scale + 'px';
    }
    if (!resized) return;
    clearTimeout(this.#resized);
    this.#resized = setTimeout(() => {
      this.#tell('resize');
      const {maxWidth, maxHeight} = this.#most();
      if (maxWidth !== this.#size.maxWidth || maxHeight !== this.#size.maxHeight) this.#ask();
    }, settle);
  }

  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, {detail})); }
}

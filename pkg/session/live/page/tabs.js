// The tabs of the session's browser: which there are, which one is shown.
//
// Each is attached to once, and stays so: a page that was seen before is back at
// once, and what it asks (see prompts.js) is heard while another one is shown.

const refreshAfter = 400; // milliseconds

export class Tabs extends EventTarget {
  #connection;
  #mayControl;
  #tabs = new Map(); // id → tab: {id, title, url, opener, session, loading, crashed}
  #attaching = new Map(); // id → promise
  #wanted; // id of the tab to show as soon as it is there
  #settled = false; // all tabs that were there at the start are known

  #refreshing; // timer

  shown; // tab

  #order; // of ids, as the tabs were before the connection was lost

  // Before is {shown, order}: the id of the tab that was shown before the connection
  // was lost, and those of all.
  constructor(connection, mayControl, before) {
    super();
    this.#connection = connection;
    this.#mayControl = mayControl;
    this.#wanted = before.shown;
    this.#order = before.order;
    connection.listen((method, params, session) => this.#heard(method, params, session));
  }

  get all() {
    const place = tab => (this.#order.includes(tab.id) ? this.#order.indexOf(tab.id) : this.#order.length);
    return [...this.#tabs.values()].sort((one, other) => place(one) - place(other));
  }

  async start() {
    await this.#connection.send('Target.setDiscoverTargets', {discover: true});
    this.#settled = true;
    this.#tell('change');
    const first = this.#tabs.get(this.#wanted) ?? this.all[0];
    if (first) await this.show(first);
    else this.#tell('empty');
  }

  // show brings a tab to the front, here and, for who may, in the browser.
  async show(tab) {
    this.#wanted = tab.id;
    try {
      await this.#attach(tab);
    } catch (error) {
      if (!this.#tabs.has(tab.id)) return; // it was closed meanwhile
      throw error;
    }
    if (this.#wanted !== tab.id || !this.#tabs.has(tab.id)) return;
    if (this.#mayControl) this.#connection.tell('Target.activateTarget', {targetId: tab.id});
    const before = this.shown;
    this.shown = tab;
    this.#tell('shown', {tab, before});
    this.#tell('change');
  }

  async open(url) {
    const {targetId} = await this.#connection.send('Target.createTarget', {url});
    this.#wanted = targetId;
    const tab = this.#tabs.get(targetId);
    if (tab) await this.show(tab);
  }

  close(tab) { return this.#connection.send('Target.closeTarget', {targetId: tab.id}); }

  // refresh asks what the tabs are called now: a title that comes after its page
  // has begun is not told.
  async refresh() {
    const {targetInfos} = await this.#connection.send('Target.getTargets');
    for (const info of targetInfos) if (this.#tabs.has(info.targetId)) this.#update(info);
  }

  withSession(session) { return this.all.find(tab => tab.session === session); }

  #attach(tab) {
    if (!this.#attaching.has(tab.id)) this.#attaching.set(tab.id, this.#attachOnce(tab));
    return this.#attaching.get(tab.id);
  }

  async #attachOnce(tab) {
    try {
      const {sessionId} = await this.#connection.send('Target.attachToTarget', {targetId: tab.id, flatten: true});
      tab.session = sessionId;
    } catch (error) {
      this.#attaching.delete(tab.id);
      throw error;
    }
    // For dialogs and the beginning and end of loading. A page that waits for the
    // answer to a dialog answers late.
    if (this.#mayControl) this.#connection.tell('Page.enable', {}, tab.session);
  }

  #heard(method, params, session) {
    switch (method) {
    case 'Target.targetCreated': return this.#created(params.targetInfo);
    case 'Target.targetInfoChanged': return this.#changed(params.targetInfo);
    case 'Target.targetDestroyed': return this.#destroyed(params.targetId);
    case 'Target.targetCrashed': return this.#crashed(params.targetId);
    case 'Target.detachedFromTarget': return this.#detached(params.sessionId);
    case 'Page.frameStartedLoading': return this.#loading(session, params.frameId, true);
    case 'Page.frameStoppedLoading': return this.#loading(session, params.frameId, false);
    case 'Page.screencastVisibilityChanged': return this.#alive(session);
    }
  }

  #created(info) {
    if (info.type !== 'page' || this.#tabs.has(info.targetId)) return;
    const tab = {id: info.targetId, title: info.title, url: info.url, opener: info.openerId, loading: false, crashed: false};
    this.#tabs.set(tab.id, tab);
    if (!this.#settled) return;
    this.#tell('change');
    // A new window of the page comes to the front, as in any browser; who looks on follows all.
    const follow = !this.shown || this.#wanted === tab.id || !this.#mayControl || tab.opener === this.shown.id;
    (follow ? this.show(tab) : this.#attach(tab)).catch(() => {});
  }

  #changed(info) {
    if (!this.#tabs.has(info.targetId)) return this.#created(info);
    this.#update(info);
    this.#refreshSoon();
  }

  #update(info) {
    const tab = this.#tabs.get(info.targetId);
    const moved = tab.url !== info.url;
    if (!moved && tab.title === info.title) return;
    tab.title = info.title;
    tab.url = info.url;
    this.#tell('change');
    if (moved && tab === this.shown) this.#tell('moved', {tab});
  }

  #refreshSoon() {
    clearTimeout(this.#refreshing);
    this.#refreshing = setTimeout(() => this.refresh().catch(() => {}), refreshAfter);
  }

  #destroyed(id) {
    const tab = this.#tabs.get(id);
    if (!tab) return;
    const place = this.all.indexOf(tab);
    this.#tabs.delete(id);
    this.#attaching.delete(id);
    if (tab.session) this.#tell('detached', {session: tab.session});
    if (tab === this.shown) {
      this.shown = undefined;
      const next = this.#tabs.get(tab.opener) ?? this.all[Math.min(place, this.all.length - 1)];
      if (next) this.show(next).catch(() => {});
      else this.#tell('empty');
    }
    this.#tell('change');
  }

  #crashed(id) {
    const tab = this.#tabs.get(id);
    if (!tab) return;
    tab.crashed = true;
    tab.loading = false;
    this.#tell('change');
    if (tab === this.shown) this.#tell('crash', {tab});
  }

  // A picture comes again from a page that had crashed.
  #alive(session) {
    const tab = this.withSession(session);
    if (!tab?.crashed) return;
    tab.crashed = false;
    this.#tell('change');
    if (tab === this.shown) this.#tell('shown', {tab, before: tab});
  }

  #detached(session) {
    const tab = this.withSession(session);
    if (!tab) return;
    tab.session = undefined;
    this.#attaching.delete(tab.id);
    this.#tell('detached', {session});
  }

  #loading(session, frame, loading) {
    const tab = this.withSession(session);
    if (!tab || frame !== tab.id) return; // another frame than the page's own
    tab.loading = loading;
    this.#tell('change');
    if (!loading) this.#refreshSoon();
    if (!loading && tab === this.shown) this.#tell('moved', {tab});
  }

  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, {detail})); }
}

// The search runs in a worker, and browsers start none for pages that are opened from disk. There the same script runs
// in a hidden frame, which looks like a worker from both sides.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.inside = new Promise((ready) => {
        const begin = () => {
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const load = (each) =>
            new Promise((loaded, failed) => {
              const script = inside.document.createElement("script");
              Object.assign(script, { src: each, onload: loaded, onerror: failed });
              inside.document.head.append(script);
            });
          inside.importScripts = (...urls) => urls.reduce((last, each) => last.then(() => load(each)), Promise.resolve());
          load(url).then(() => ready(inside), (error) => this.dispatchEvent(new ErrorEvent("error", { error })));
        };
        const append = () => {
          document.body.append(frame);
          begin();
        };
        document.body ? append() : addEventListener("DOMContentLoaded", append, { once: true });
      });
      for (const kind of ["message", "error"]) {
        this.addEventListener(kind, (event) => this[`on${kind}`]?.(event));
      }
    }

    postMessage(data) {
      this.inside.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }

    terminate() {
      this.inside.then((inside) => inside.frameElement.remove());
    }
  };
}

// The site read from a folder: browsers refuse workers there, so search runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.appendChild(this.frame)
      const inside = this.frame.contentWindow
      const load = source => new Promise((resolve, reject) => {
        const script = inside.document.createElement("script")
        Object.assign(script, { src: source, onload: resolve, onerror: reject })
        inside.document.head.appendChild(script)
      })
      inside.importScripts = (...sources) =>
        sources.reduce((before, source) => before.then(() => load(source)), Promise.resolve())
      inside.postMessage = data => {
        const message = new MessageEvent("message", { data })
        this.dispatchEvent(message)
        this.onmessage?.(message)
      }
      this.ready = load(url)
    }
    postMessage(data) {
      this.ready.then(() => {
        this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }))
      })
    }
    terminate() {
      this.frame.remove()
    }
  }
}

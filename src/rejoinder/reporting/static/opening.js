"use strict";
// The items: JSON as it is, or in a large page packed by gzip and written in base64. Both stay where
// they are, so that a copy that a browser saves of the page is whole.
const opening = (() => {
  const CANNOT =
    "This browser cannot unpack the items of this page, because it has no DecompressionStream; " +
    "everything else is here. Open the page in Chrome or Edge 80, Firefox 113, Safari 16.4 or a later " +
    "version.";
  const DAMAGED =
    "The items of this page cannot be read, because the file is damaged or not whole; everything else " +
    "is here. Get the file again.";

  function bytesOf(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let place = 0; place < letters.length; place += 1) bytes[place] = letters.charCodeAt(place);
    return bytes;
  }

  function unpacked(text) {
    const packed = new Blob([bytesOf(text)]).stream();
    return new Response(packed.pipeThrough(new DecompressionStream("gzip"))).json();
  }

  // Calls `then` with the items, or says why there are none.
  return async (then) => {
    const element = document.getElementById("data");
    const words = document.getElementById("opening");
    const say = (text) => {
      words.textContent = text;
      words.hidden = !text;
    };
    const packed = element.dataset.packed === "gzip";
    if (packed && typeof DecompressionStream === "undefined") return say(CANNOT);
    if (packed) say("The items are being unpacked.");
    let data = null;
    try {
      data = packed ? await unpacked(element.textContent) : JSON.parse(element.textContent);
    } catch {
      return say(DAMAGED);
    }
    say("");
    return then(data);
  };
})();

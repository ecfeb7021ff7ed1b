// Keys for raters who want them, and one submission for each press of the button. The page works
// without this file.
"use strict";

(() => {
  const form = document.getElementById("answer");
  let sent = false;

  form.addEventListener("submit", (event) => {
    if (sent) {
      event.preventDefault();
    }
    sent = true;
  });
  window.addEventListener("pageshow", () => {
    sent = false;
  });
  connectKeys();
})();

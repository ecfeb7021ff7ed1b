// Keys for raters who want them, and one submission for each press of the button. The page works
// without this file.
"use strict";

(() => {
  const form = document.getElementById("answer");
  const toggle = document.getElementById("keys");
  const stored = "rejoinder-keys";
  let sent = false;

  const recall = () => {
    try {
      return localStorage.getItem(stored) !== "off";
    } catch {
      return true;
    }
  };
  toggle.checked = recall();
  toggle.closest("p").hidden = false;
  toggle.addEventListener("change", () => {
    try {
      localStorage.setItem(stored, toggle.checked ? "on" : "off");
    } catch {
      // Without storage the choice holds for this page.
    }
  });

  form.addEventListener("submit", (event) => {
    if (sent) {
      event.preventDefault();
    }
    sent = true;
  });
  window.addEventListener("pageshow", () => {
    sent = false;
  });

  const groups = Array.from(form.querySelectorAll("fieldset"));
  const isAnswered = (group) => group.querySelector("input:checked") !== null;

  document.addEventListener("keydown", (event) => {
    const at = event.target;
    const types = at instanceof HTMLElement && at.matches("textarea, a, button, summary");
    if (!toggle.checked || types || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    if (event.key === "Enter") {
      if (at.type !== "checkbox") {
        event.preventDefault();
        form.requestSubmit();
      }
      return;
    }
    if (!/^[0-9]$/.test(event.key)) {
      return;
    }
    const group =
      groups.find((each) => !isAnswered(each)) ?? at.closest("fieldset") ?? groups[groups.length - 1];
    const options = Array.from(group.querySelectorAll("input"));
    const option =
      options.find((each) => each.value === event.key) ??
      options.find((each) => each.value === "tie" && event.key === "0");
    if (option) {
      event.preventDefault();
      option.checked = true;
      option.focus();
    }
  });
})();

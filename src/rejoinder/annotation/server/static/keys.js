// The keys of a question, of the served page and of a page without a server alike: digits choose an
// answer and Enter saves. A rater who uses these keys for something else turns them off. The form has
// the id "answer", and the checkbox that turns the keys on and off the id "keys". What is below the window
// is shown first: a digit answers no question whose reply or scale was not seen.
"use strict";

const connectKeys = (() => {
  const stored = "rejoinder-keys";
  let wanted = true;
  try {
    wanted = localStorage.getItem(stored) !== "off";
  } catch {
    // Without storage the choice lasts as long as the page is open.
  }

  const isAnswered = (group) => group.querySelector("input:checked") !== null;

  // Whether less than half of an element, and no whole window of it, is above the edge of what shows it.
  const isBelow = (each) => {
    const { top, height } = each.getBoundingClientRect();
    const box = each.parentElement.closest(".replies, #answer");
    const frame = box && box.scrollHeight > box.clientHeight ? box.getBoundingClientRect().bottom : Infinity;
    const edge = Math.min(window.innerHeight, frame);
    return top + Math.min(height, window.innerHeight) / 2 > edge;
  };

  const choose = (form, at, key) => {
    const groups = Array.from(form.querySelectorAll("fieldset"));
    const group =
      groups.find((each) => !isAnswered(each)) ?? at.closest("fieldset") ?? groups[groups.length - 1];
    const options = Array.from(group.querySelectorAll("input"));
    const unseen = [...document.querySelectorAll(".reply"), group].find(isBelow);
    if (unseen) {
      unseen.scrollIntoView({ block: "nearest" });
      return true;
    }
    const option =
      options.find((each) => each.value === key) ??
      options.find((each) => each.value === "tie" && key === "0");
    if (option) {
      option.checked = true;
      option.dispatchEvent(new Event("change", { bubbles: true }));
      option.focus();
      groups.find((each) => !isAnswered(each))?.scrollIntoView({ block: "nearest" });
    }
    return Boolean(option);
  };

  document.addEventListener("keydown", (event) => {
    const form = document.getElementById("answer");
    const at = event.target;
    const types = at instanceof HTMLElement && at.matches("textarea, a, button, summary");
    if (!form || !wanted || types || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    if (event.key === "Enter") {
      if (at.type !== "checkbox") {
        event.preventDefault();
        form.requestSubmit();
      }
    } else if (/^[0-9]$/.test(event.key) && choose(form, at, event.key)) {
      event.preventDefault();
    }
  });

  // What scrolls by itself is reached by the keyboard; a conversation begins at its end.
  const prepareScrolling = () => {
    const observer = new ResizeObserver((seen) => {
      for (const { target } of seen) {
        target.tabIndex = target.scrollHeight > target.clientHeight ? 0 : -1;
      }
    });
    for (const each of document.querySelectorAll(".turns, .replies")) {
      observer.observe(each);
    }
    for (const each of document.querySelectorAll(".turns")) {
      each.scrollTop = each.scrollHeight;
    }
  };

  // Shows the checkbox, and remembers what the rater chooses there.
  return () => {
    prepareScrolling();
    const toggle = document.getElementById("keys");
    toggle.checked = wanted;
    toggle.closest("p").hidden = false;
    toggle.addEventListener("change", () => {
      wanted = toggle.checked;
      try {
        localStorage.setItem(stored, wanted ? "on" : "off");
      } catch {
        // The same.
      }
    });
  };
})();

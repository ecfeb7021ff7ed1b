// Keys for raters who want them, one submission for each press of the button, and answers that a server
// which is away does not lose. The page works without this file.
"use strict";

(() => {
  const form = document.getElementById("answer");
  const notice = document.getElementById("server");
  const stored = form && `rejoinder-draft-${new URL(form.action).pathname}`;
  let isAway = false;
  let sent = false;

  const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  const timeout = (seconds) => AbortSignal.timeout?.(1000 * seconds);
  const say = (key) => {
    notice.hidden = !key;
    notice.textContent = key ? notice.dataset[key] : "";
  };
  const isThere = async () => {
    try {
      const answer = await fetch("/favicon.ico", { cache: "no-store", signal: timeout(5) });
      return answer.ok;
    } catch {
      return false;
    }
  };
  // Waits until the server answers, and says so meanwhile.
  const whenThere = async (key) => {
    while (!(await isThere())) {
      isAway = true;
      say(sent ? "waiting" : key);
      await wait(1);
    }
    if (isAway) {
      isAway = false;
      say("back");
      setTimeout(() => isAway || say(""), 4000);
    }
  };

  // What is chosen and written but not saved stays in this browser.
  const keep = () => {
    try {
      localStorage.setItem(stored, JSON.stringify([...new FormData(form)]));
    } catch {
      // Without storage it lasts as long as the page is open.
    }
  };
  const forget = () => {
    try {
      localStorage.removeItem(stored);
    } catch {
      // The same.
    }
  };
  const restore = () => {
    try {
      const fields = JSON.parse(localStorage.getItem(stored) ?? "[]");
      if (!fields.some(([name, value]) => name === "question" && value === form.elements.question.value)) {
        forget();
        return;
      }
      for (const [name, value] of fields) {
        if (name === "comment" || /^c\d+(-(best|worst))?$/.test(name)) {
          const field = form.elements[name];
          if (field) {
            field.value = value;
          }
        }
      }
    } catch {
      // The same.
    }
  };

  // Sends the answer until the server has it. Whatever else the server says, it says as a page.
  const send = async () => {
    const body = new URLSearchParams(new FormData(form));
    const headers = { "Rejoinder-Script": "1" };
    for (;;) {
      try {
        const signal = timeout(20);
        const answer = await fetch(form.action, { method: "POST", body, headers, redirect: "manual", signal });
        if (answer.status === 204) {
          forget();
          location.assign(answer.headers.get("Location"));
          return;
        }
        if (![429, 502, 503, 504].includes(answer.status)) {
          form.submit();
          return;
        }
        isAway = true;
        say("waiting");
        await wait(2);
      } catch {
        await whenThere("waiting");
      }
    }
  };

  document.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (sent) {
      return;
    }
    sent = true;
    if (event.target === form) {
      send();
    } else {
      await whenThere("unreachable");
      event.target.submit();
    }
  });
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[href^='/r/']");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      await whenThere("unreachable");
      location.assign(link.href);
    }
  });
  window.addEventListener("pageshow", () => {
    sent = false;
  });
  setInterval(() => {
    if (!sent && !isAway && document.visibilityState === "visible") {
      whenThere("unreachable");
    }
  }, 10000);
  if (form) {
    restore();
    form.addEventListener("input", keep);
    form.addEventListener("change", keep);
    connectKeys();
  }
})();

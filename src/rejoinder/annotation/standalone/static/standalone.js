// One rater's questions without a server: answers stay in the browser until they are downloaded.
// Every text of the study is set as text, never as markup.
"use strict";

(() => {
  const study = JSON.parse(document.getElementById("study").textContent);
  const main = document.getElementById("main");
  const stored = `rejoinder-${study.rater}`;
  let state = { consented: false, answers: {} };
  let editing = null;
  let shownAt = Date.now();

  const load = () => {
    try {
      state = { ...state, ...JSON.parse(localStorage.getItem(stored) ?? "{}") };
    } catch {
      // Without storage the answers last as long as the page is open.
    }
  };
  const save = () => {
    try {
      localStorage.setItem(stored, JSON.stringify(state));
    } catch {
      // The same.
    }
  };

  // An element with attributes and children; a child that is a string becomes text.
  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "onclick" || key === "onsubmit") {
        made.addEventListener(key.slice(2), value);
      } else if (value === true) {
        made.setAttribute(key, "");
      } else if (value !== false && value !== "") {
        made.setAttribute(key, value);
      }
    }
    made.append(...children);
    return made;
  };
  // A text may be called like what every object has ("constructor").
  const language = (text, languages) => (Object.hasOwn(languages, text) ? languages[text] : "");
  // The language of a text that the author of the study wrote.
  const own = (text) => language(text, study.languages);
  const paragraphs = (text) =>
    text
      .split(/\n\n+/)
      .map((each) => each.trim())
      .filter((each) => each)
      .map((each) => element("p", { class: "lines", dir: "auto", lang: own(text) }, each));
  const texts = (text, languages) =>
    text.trim()
      ? element("span", { class: "text", dir: "auto", lang: language(text, languages) }, text)
      : element("em", { class: "empty" }, "(an empty reply)");
  const says = (who) =>
    element("span", { class: "speaker" }, who, element("span", { class: "hidden" }, " says:"));

  const draw = (title, ...children) => {
    document.title = title;
    main.replaceChildren(...children);
    shownAt = Date.now();
    const heading = main.querySelector("h1");
    heading.tabIndex = -1;
    heading.focus();
    window.scrollTo(0, 0);
  };

  const conversation = ({ context, languages }) =>
    context.length
      ? [
          element(
            "section",
            { "aria-labelledby": "conversation" },
            element("h2", { id: "conversation" }, "Conversation"),
            element(
              "ol",
              { class: "turns" },
              ...context.map((text, place) => {
                const who = (context.length - place) % 2 ? "B" : "A";
                const side = who === "A" ? "right" : "left";
                return element("li", { class: `turn ${side}` }, says(who), " ", texts(text, languages));
              }),
            ),
          ),
        ]
      : [];
  const replies = ({ replies: given, languages }) =>
    element(
      "section",
      { "aria-labelledby": "replies" },
      element("h2", { id: "replies" }, given.length === 1 ? "Reply" : "Replies"),
      element(
        "ol",
        { class: `replies of-${given.length}` },
        ...given.map((text, place) =>
          element(
            "li",
            { class: "reply" },
            given.length === 1
              ? says("A")
              : element("span", { class: "speaker" }, `Reply ${place + 1}`),
            " ",
            texts(text, languages),
          ),
        ),
      ),
    );

  const option = (name, value, label, words, before) =>
    element(
      "label",
      { class: "option" },
      element("input", {
        type: "radio",
        name,
        value: String(value),
        required: true,
        checked: before[name] === String(value),
      }),
      " ",
      element("span", { class: "mark" }, String(label)),
      ...(words ? [" ", element("span", { class: "words", dir: "auto", lang: own(words) }, words)] : []),
    );
  const group = (legend, options, scale = false) =>
    element(
      "fieldset",
      {},
      element("legend", { dir: "auto", lang: own(legend) }, legend),
      element("div", { class: scale ? "options scale" : "options" }, ...options),
    );
  const groups = (question, before) =>
    study.criteria.flatMap((criterion, place) => {
      const name = `c${place}`;
      const each = question.replies.map((_, k) => [String(k + 1), `Reply ${k + 1}`]);
      if (study.kind === "best-worst") {
        return ["best", "worst"].map((end) =>
          group(
            `${end === "best" ? "Best" : "Worst"} reply: ${criterion.asked}`,
            each.map(([value, label]) => option(`${name}-${end}`, value, label, "", before)),
          ),
        );
      }
      if (study.kind === "pointwise") {
        const points = criterion.points.map(([grade, words]) =>
          option(name, grade, grade, words, before),
        );
        return [group(criterion.asked, points, true)];
      }
      const [first, second] = each.map(([value, label]) => option(name, value, label, "", before));
      const tie = study.ties ? [option(name, "tie", "Tie", "neither is better", before)] : [];
      return [group(criterion.asked, [first, ...tie, second])];
    });

  const fault = (fields) => {
    if (study.kind !== "best-worst") {
      return "";
    }
    const same = study.criteria.some((_, k) => fields[`c${k}-best`] === fields[`c${k}-worst`]);
    return same ? "The best and the worst reply must be different replies." : "";
  };

  const keys = () => {
    const tie = study.kind === "head-to-head" && study.ties ? " (0: tie)" : "";
    return element(
      "p",
      { class: "keys" },
      element(
        "label",
        {},
        element("input", { type: "checkbox", id: "keys" }),
        ` Keys: digits choose${tie}, Enter saves`,
      ),
    );
  };

  const answered = () => study.questions.filter((each) => state.answers[each.question]);
  const next = () => study.questions.findIndex((each) => !state.answers[each.question]);

  const show = () => {
    if (!state.consented) {
      return start();
    }
    const place = editing ?? next();
    return place < 0 ? done() : ask(place);
  };

  const start = () => {
    const box = study.consent
      ? [
          element("h2", {}, "Consent"),
          ...paragraphs(study.consent),
          element(
            "p",
            {},
            element(
              "label",
              { class: "option" },
              element("input", { type: "checkbox", required: true }),
              " ",
              element("span", { class: "mark" }, "I have read this, and agree to take part."),
            ),
          ),
        ]
      : [];
    const begin = (event) => {
      event.preventDefault();
      state.consented = true;
      save();
      show();
    };
    draw(
      study.title,
      element("h1", { dir: "auto", lang: own(study.title) }, study.title),
      ...(study.instructions
        ? paragraphs(study.instructions)
        : [element("p", {}, "Read each conversation, and judge what is asked below it.")]),
      element(
        "p",
        {},
        "Your answers stay in this browser until you download them at the end, as a file that you " +
          "send back. You can close this page and go on later in the same browser.",
      ),
      element(
        "form",
        { onsubmit: begin },
        ...box,
        element("p", {}, element("button", { type: "submit" }, "Begin")),
      ),
    );
  };

  const ask = (place, error = "", sent = null) => {
    const question = study.questions[place];
    const before = sent ?? state.answers[question.question]?.fields ?? {};
    const total = study.questions.length;
    const count = answered().length;
    const kind = question.known ? "Practice" : "Question";
    const submit = (event) => {
      event.preventDefault();
      const fields = Object.fromEntries(new FormData(event.target));
      const wrong = fault(fields);
      if (wrong) {
        ask(place, wrong, fields);
        return;
      }
      const seconds = (Date.now() - shownAt) / 1000;
      state.answers[question.question] = { fields, seconds, at: Date.now() / 1000 };
      editing = null;
      save();
      if (question.known) {
        explain(question);
      } else {
        show();
      }
    };
    const back = study.questions
      .map((each, k) => k)
      .filter((k) => k < place && !study.questions[k].known)
      .pop();
    const comment = study.comments
      ? [
          element(
            "p",
            { class: "comment" },
            element("label", { for: "comment" }, "Comment (optional)"),
            element(
              "textarea",
              {
                id: "comment",
                name: "comment",
                rows: "2",
                dir: "auto",
                maxlength: String(study.longest_comment),
              },
              before.comment ?? "",
            ),
          ),
        ]
      : [];
    draw(
      `${error ? "Error: " : ""}${kind} ${place + 1} of ${total}`,
      element(
        "header",
        { class: "bar" },
        element("h1", {}, `${kind} ${place + 1} of ${total}`),
        element("progress", { max: total, value: String(count), "aria-label": "Answers given" }),
        element("p", { class: "saved" }, `${count} of ${total} answered`),
      ),
      ...(study.instructions
        ? [
            element(
              "details",
              {},
              element("summary", {}, "Instructions"),
              ...paragraphs(study.instructions),
            ),
          ]
        : []),
      ...conversation(question),
      replies(question),
      element(
        "form",
        { onsubmit: submit, id: "answer" },
        ...(error ? [element("p", { class: "error", role: "alert" }, error)] : []),
        ...groups(question, before),
        ...comment,
        element(
          "p",
          { class: "actions" },
          element("button", { type: "submit" }, "Save and continue"),
        ),
      ),
      element(
        "footer",
        {},
        ...(back === undefined
          ? []
          : [
              element(
                "button",
                {
                  type: "button",
                  class: "plain",
                  onclick: () => {
                    editing = back;
                    show();
                  },
                },
                "Change the previous answer",
              ),
            ]),
        keys(),
      ),
    );
    connectKeys();
  };

  const explain = (question) => {
    draw(
      "Practice",
      element("h1", {}, "What others answered"),
      element(
        "ul",
        {},
        ...Object.entries(question.known.answers).map(([asked, answer]) =>
          element("li", { dir: "auto" }, `${asked} Expected: ${answer}`),
        ),
      ),
      ...paragraphs(question.known.explanation),
      element("p", {}, element("button", { type: "button", onclick: show, id: "continue" }, "Continue")),
      ...conversation(question),
      replies(question),
    );
    document.getElementById("continue").focus(); // Enter goes on
  };

  const download = () => {
    const { answers_of, format, study: identity, rater } = study;
    const answers = answered().map((each) => ({
      question: each.question,
      ...state.answers[each.question],
    }));
    const text = JSON.stringify({ answers_of, format, study: identity, rater, answers });
    const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = element("a", { href: address, download: `answers-${study.name}.json` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };

  const done = () => {
    const last = study.questions.length - 1;
    draw(
      `All done: ${study.title}`,
      element("h1", {}, "All done. Thank you!"),
      element("p", {}, "Now download your answers, and send the file back."),
      element("p", {}, element("button", { type: "button", onclick: download }, "Download answers")),
      element(
        "p",
        {},
        "Your completion code: ",
        element("strong", { class: "code" }, study.code),
      ),
      ...(study.address
        ? [
            element(
              "p",
              {},
              element("a", { href: study.address, rel: "noreferrer" }, "Return to the platform"),
            ),
          ]
        : []),
      element(
        "p",
        {},
        element(
          "button",
          {
            type: "button",
            class: "plain",
            onclick: () => {
              editing = last;
              show();
            },
          },
          "Change the previous answer",
        ),
      ),
    );
  };

  load();
  show();
})();

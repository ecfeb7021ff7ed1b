// One rater's questions without a server: answers stay in the browser until they are downloaded.
// Every text of the study is set as text, never as markup.
"use strict";

(() => {
  const study = JSON.parse(document.getElementById("study").textContent);
  const main = document.getElementById("main");
  const stored = `rejoinder-${study.rater}`;
  let state = { consented: false, answers: {} };
  let editing = null;
  let shownAt = performance.now(); // a clock that nobody sets

  // A sentence in the language of the page.
  const say = (key, values = {}) =>
    study.words[key].replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));

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
  // What Rejoinder made of Markdown: texts, and lists of a tag, its nodes and a number.
  const built = (nodes) =>
    nodes.map((each) =>
      typeof each === "string"
        ? each
        : element(each[0], { start: each.length > 2 ? String(each[2]) : "" }, ...built(each[1])),
    );
  const texts = (text, { languages, nodes }) =>
    element(
      "div",
      { class: "text", dir: "auto", lang: language(text, languages) },
      ...(text.trim()
        ? built(Object.hasOwn(nodes, text) ? nodes[text] : [text])
        : [element("em", { class: "empty" }, say("empty_reply"))]),
    );
  const says = (who) =>
    element("span", { class: "speaker" }, who, element("span", { class: "hidden" }, ` ${say("says")}`));

  const draw = (title, ...children) => {
    document.title = title;
    main.replaceChildren(...children);
    shownAt = performance.now();
    const heading = main.querySelector("h1");
    heading.tabIndex = -1;
    heading.focus();
    window.scrollTo(0, 0);
  };

  const conversation = (question) =>
    question.context.length
      ? [
          element(
            "section",
            { "aria-labelledby": "conversation" },
            element("h2", { id: "conversation" }, say("conversation")),
            element(
              "ol",
              { class: "turns" },
              ...question.context.map((text, place) => {
                const who = (question.context.length - place) % 2 ? "B" : "A";
                const side = who === "A" ? "right" : "left";
                return element("li", { class: `turn ${side}` }, says(who), " ", texts(text, question));
              }),
            ),
          ),
        ]
      : [];
  const replies = (question) =>
    element(
      "section",
      { "aria-labelledby": "replies" },
      element("h2", { id: "replies" }, say(question.replies.length === 1 ? "reply" : "replies")),
      element(
        "ol",
        { class: `replies of-${question.replies.length}` },
        ...question.replies.map((text, place) =>
          element(
            "li",
            { class: "reply" },
            question.replies.length === 1
              ? says("A")
              : element("span", { class: "speaker" }, say("reply_number", { number: place + 1 })),
            " ",
            texts(text, question),
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
      const each = question.replies.map((_, k) => [
        String(k + 1),
        say("reply_number", { number: k + 1 }),
      ]);
      if (study.kind === "best-worst") {
        return ["best", "worst"].map((end) =>
          group(
            `${say(`${end}_reply`)} ${criterion.asked}`,
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
      const tie = study.ties ? [option(name, "tie", say("tie"), say("neither"), before)] : [];
      return [group(criterion.asked, [first, ...tie, second])];
    });

  const fault = (fields) => {
    if (study.kind !== "best-worst") {
      return "";
    }
    const same = study.criteria.some((_, k) => fields[`c${k}-best`] === fields[`c${k}-worst`]);
    return same ? say("choose_different") : "";
  };

  const keys = () => {
    const tie = study.kind === "head-to-head" && study.ties ? "keys_tie" : "keys";
    return element(
      "p",
      { class: "keys" },
      element(
        "label",
        {},
        element("input", { type: "checkbox", id: "keys" }),
        ` ${say(tie)}`,
      ),
    );
  };

  const answered = () => study.questions.filter((each) => state.answers[each.question]);
  const next = () => study.questions.findIndex((each) => !state.answers[each.question]);

  // About how long the rest will take, where enough answers say how long one does.
  const rest = () => {
    const times = answered()
      .map((each) => state.answers[each.question].seconds)
      .sort((a, b) => a - b);
    if (times.length < 5) {
      return "";
    }
    const left = study.questions.length - times.length;
    const n = Math.ceil((times[Math.floor(times.length / 2)] * left) / 60);
    return n ? ` · ${say(n === 1 ? "minutes_left_one" : "minutes_left", { n })}` : "";
  };

  const pause = () => {
    draw(
      say("break"),
      element("h1", {}, say("break")),
      element("p", {}, say("break_words", { n: answered().length })),
      element("p", {}, element("button", { type: "button", onclick: show, id: "continue" }, say("continue"))),
    );
    document.getElementById("continue").focus();
  };

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
          element("h2", {}, say("consent")),
          ...paragraphs(study.consent),
          element(
            "p",
            {},
            element(
              "label",
              { class: "option" },
              element("input", { type: "checkbox", required: true }),
              " ",
              element("span", { class: "mark" }, say("agree")),
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
        : [element("p", {}, say("introduction"))]),
      element(
        "p",
        {},
        say("kept_in_browser"),
      ),
      element(
        "form",
        { onsubmit: begin },
        ...box,
        element("p", {}, element("button", { type: "submit" }, say("begin"))),
      ),
    );
  };

  const ask = (place, error = "", sent = null) => {
    const question = study.questions[place];
    const before = sent ?? state.answers[question.question]?.fields ?? {};
    const total = study.questions.length;
    const count = answered().length;
    const heading = say(question.known ? "practice_of" : "question_of", { number: place + 1, total });
    const submit = (event) => {
      event.preventDefault();
      const fields = Object.fromEntries(new FormData(event.target));
      const wrong = fault(fields);
      if (wrong) {
        ask(place, wrong, fields);
        return;
      }
      const isNew = !state.answers[question.question];
      const seconds = (performance.now() - shownAt) / 1000;
      state.answers[question.question] = { fields, seconds, at: Date.now() / 1000 };
      editing = null;
      save();
      if (question.known) {
        explain(question);
      } else if (isNew && answered().length % study.break_every === 0 && next() >= 0) {
        pause(); // without break_every the remainder is no number
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
            element("label", { for: "comment" }, say("comment")),
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
      error ? say("error", { title: heading }) : heading,
      element(
        "header",
        { class: "bar" },
        element("h1", {}, heading),
        element("progress", { max: total, value: String(count), "aria-label": say("answers_saved") }),
        element("p", { class: "saved" }, say("answered_of", { answered: count, total }) + rest()),
      ),
      ...(study.instructions
        ? [
            element(
              "details",
              {},
              element("summary", {}, say("instructions")),
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
          element("button", { type: "submit" }, say("save")),
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
                say("undo"),
              ),
            ]),
        keys(),
      ),
    );
    connectKeys();
  };

  const explain = (question) => {
    draw(
      say("practice"),
      element("h1", {}, say("others")),
      element(
        "ul",
        {},
        ...Object.entries(question.known.answers).map(([asked, answer]) =>
          element("li", { dir: "auto" }, say("expected", { asked, answer })),
        ),
      ),
      ...paragraphs(question.known.explanation),
      element("p", {}, element("button", { type: "button", onclick: show, id: "continue" }, say("continue"))),
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
      `${say("done")} ${study.title}`,
      element("h1", {}, say("done")),
      element("p", {}, say("send_back")),
      element("p", {}, element("button", { type: "button", onclick: download }, say("download"))),
      element(
        "p",
        {},
        `${say("code")} `,
        element("strong", { class: "code" }, study.code),
      ),
      ...(study.address
        ? [
            element(
              "p",
              {},
              element("a", { href: study.address, rel: "noreferrer" }, say("return")),
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
          say("undo"),
        ),
      ),
    );
  };

  load();
  show();
})();

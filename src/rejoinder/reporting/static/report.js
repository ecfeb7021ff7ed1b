// The browser of items. Every text is set with textContent: nothing of the data is ever markup.
opening((data) => {
  const { ids, systems, metrics, people, texts } = data;
  const PAGE = 20;
  const by = (name) => document.getElementById(name);
  const every = (count) => Array.from({ length: count }, (_, place) => place);
  const items = every(ids.length);
  const browser = by("browser");
  const silent = data.replies.every((row) => row.every((each) => each === -1));
  const search = searching(data);
  const state = { shown: items, keys: new Map(), page: 0, item: -1 };

  function element(tag, text, name) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    return made;
  }

  function words(tag, number, name) {
    const made = element(tag, number < 0 ? "" : texts[number], name);
    made.dir = "auto";
    return made;
  }

  function choices(select, names) {
    names.forEach(([value, name]) => {
      const option = element("option", name);
      option.value = value;
      select.append(option);
    });
  }

  // Numbers as the tables have them.
  function score(metric, value) {
    if (value === null) return "n/a";
    const { times } = metrics[metric];
    return (times * value).toFixed(times === 100 ? 1 : 2);
  }

  function grouped() {
    const [column, value] = by("group").value.split(" ").map(Number);
    if (!by("group").value) return () => true;
    return (item) => data.columns[column].values[item] === value;
  }

  // How items can be ordered: a number for each (null stands last), and what is said of it.
  const number = (name) => Number(by(name).value);
  const chosen = () => (by("a").value === "all" ? every(systems.length) : [number("a")]);
  const mean = (values) => {
    const known = values.filter((value) => value !== null);
    return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
  };
  const orders = {
    given: { name: "as in the test set", needs: [] },
    low: {
      name: "lowest score first", needs: ["metric", "a"],
      key: (item) => mean(chosen().map((s) => data.scores[number("metric")][s][item])),
      least: true,
      says: (value) => `${metrics[number("metric")].label} ${score(number("metric"), value)}`,
      explained: "Of several systems the mean of their scores of the item counts.",
    },
    high: {
      name: "highest score first", needs: ["metric", "a"],
      key: (item) => orders.low.key(item),
      says: (value) => orders.low.says(value),
      explained: "Of several systems the mean of their scores of the item counts.",
    },
    rated: {
      name: "lowest rating by people first", needs: ["a", "criterion"],
      key: (item) => mean(chosen().map((s) => people[number("criterion")].means[s][item])),
      least: true,
      says: (value) => `rating ${value.toFixed(2)}`,
      explained: "Of several systems the mean of their ratings of the item counts; items nobody rated are last.",
    },
    differ: {
      name: "largest difference of two systems", needs: ["metric", "a", "b"],
      key: (item) => {
        const own = data.scores[number("metric")];
        const [a, b] = [own[number("a")][item], own[number("b")][item]];
        return a === null || b === null ? null : a - b;
      },
      size: Math.abs,
      says: (value) => `difference ${score(number("metric"), value)}`,
      explained: "The difference is the score of the first system minus that of the second.",
    },
    apart: {
      name: "largest disagreement of metric and people", needs: ["metric", "a", "criterion"],
      key: (item) => {
        const own = data.apart[number("criterion")][number("metric")];
        const values = chosen().map((s) => own[s][item]).filter((value) => value !== null);
        return values.length
          ? values.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a)) : null;
      },
      size: Math.abs,
      says: (value) => `${value > 0 ? "metric" : "people"} higher by ${Math.abs(value)} of 100 ranks`,
      explained:
        "Each rated reply has a rank by the metric and one by people, from 0 (worst) to 100 (best) among " +
        "all rated replies. Items whose two ranks differ most come first.",
    },
  };

  function arrange() {
    const order = orders[by("order").value];
    for (const name of ["metric", "a", "b", "criterion"]) {
      by(`of-${name}`).hidden = !order.needs.includes(name);
    }
    const pair = order.needs.includes("b");
    const all = by("a").querySelector("option[value=all]");
    all.disabled = pair;
    if (pair && by("a").value === "all") by("a").value = "0";
    if (pair && by("a").value === by("b").value) by("b").value = number("a") === 0 ? "1" : "0";
    by("explained").textContent = order.explained || "";
    const found = search(by("search").value);
    const own = grouped();
    let shown = items.filter((item) => own(item) && found(item));
    const keys = new Map();
    if (order.key) {
      shown.forEach((item) => keys.set(item, order.key(item)));
      const size = order.size || ((value) => value);
      const sign = order.least ? 1 : -1;
      const known = shown.filter((item) => keys.get(item) !== null);
      known.sort((a, b) => sign * (size(keys.get(a)) - size(keys.get(b))) || a - b);
      shown = [...known, ...shown.filter((item) => keys.get(item) === null)];
    }
    Object.assign(state, { shown, keys, page: 0 });
    list();
    if (shown.length && !shown.includes(state.item)) show(shown[0]);
  }

  function list() {
    const { shown, keys, page } = state;
    const order = orders[by("order").value];
    const first = page * PAGE;
    const here = shown.slice(first, first + PAGE);
    by("list").replaceChildren(...here.map((item) => {
      const button = element("button");
      button.type = "button";
      button.dataset.item = item;
      const own = [...data.references[item].slice(0, 1), ...data.contexts[item]];
      button.append(words("span", own.length ? own[own.length - 1] : -1, "title"));
      const key = keys.get(item);
      const value = key === undefined ? "" : ` · ${key === null ? "n/a" : order.says(key)}`;
      const under = element("span", undefined, "key");
      under.append(element("bdi", ids[item]), value);
      button.append(under);
      button.addEventListener("click", () => visit(item));
      const line = element("li");
      line.append(button);
      return line;
    }));
    by("list").start = first + 1;
    mark();
    const many = shown.length.toLocaleString("en");
    const of = shown.length === items.length ? "" : ` (of ${items.length.toLocaleString("en")})`;
    by("count").textContent = shown.length
      ? `${(first + 1).toLocaleString("en")} to ${(first + here.length).toLocaleString("en")} of ` +
        `${many} item${shown.length === 1 ? "" : "s"}${of}`
      : "No item has this text; change the search or the filter.";
    by("before").disabled = page === 0;
    by("after").disabled = first + PAGE >= shown.length;
  }

  function mark() {
    by("list").querySelectorAll("button").forEach((each) => {
      each.setAttribute("aria-current", String(Number(each.dataset.item) === state.item));
    });
  }

  function show(item) {
    state.item = item;
    const title = element("h3");
    title.id = "item-title";
    title.tabIndex = -1;
    title.append("Item ", element("bdi", ids[item]));
    const parts = [title];
    const facts = data.columns.filter((column) => column.values[item] >= 0);
    if (facts.length) {
      const line = element("p", undefined, "facts");
      facts.forEach((column, place) => {
        if (place) line.append(" · ");
        line.append(element("bdi", column.name), ": ", words("bdi", column.values[item]));
      });
      parts.push(line);
    }
    if (silent) parts.push(element("p", "The texts are not given.", "none"));
    else parts.push(...context(item), ...references(item), element("h4", "Replies"));
    const replies = element("ul", undefined, "replies");
    replies.append(...systems.map((_, system) => reply(item, system)));
    parts.push(replies);
    if (data.matches) {
      parts.push(element(
        "p",
        `What matched: n-grams under ${data.matches.label}, each at the reference that counts for it.`,
        "soft",
      ));
    }
    const back = element("button", "Back to the list");
    back.type = "button";
    back.addEventListener("click", () => {
      const own = by("list").querySelector('[aria-current="true"]') || by("list").querySelector("button");
      if (own) own.focus();
    });
    parts.push(back);
    by("item").replaceChildren(...parts);
    mark();
  }

  // What a reader opens has an address of its own.
  function visit(item) {
    show(item);
    by("item-title").focus();
    try {
      history.replaceState(null, "", `#item=${encodeURIComponent(ids[item])}`);
    } catch {
      // A page within a frame of a viewer may have no address.
    }
  }

  function context(item) {
    const turns = data.contexts[item];
    if (!turns.length) return [element("p", "The context is not known.", "none")];
    const made = element("ol", undefined, "turns");
    turns.forEach((turn, place) => {
      made.append(words("li", turn, place === turns.length - 1 ? "message" : ""));
    });
    return [element("h4", "Context"), made];
  }

  function references(item) {
    const own = data.references[item];
    if (!own.length) return [element("p", "There is no reference.", "none")];
    const made = element("ol", undefined, "references");
    own.forEach((number, place) => {
      const line = element("li");
      line.append(words("span", number));
      const weight = data.weights && data.weights[item][place];
      const source = data.sources ? data.sources[item][place] : -1;
      const facts = element("span", undefined, "facts");
      if (weight !== null && weight !== undefined) facts.append(` · weight ${weight}`);
      if (source >= 0) facts.append(" · ", words("bdi", source));
      line.append(facts);
      made.append(line);
    });
    return [element("h4", "References"), made];
  }

  function reply(item, system) {
    const line = element("li");
    line.append(element("div", systems[system], "name"));
    const own = [data.replies[system][item]].flat();
    own.forEach((number) => {
      if (number < 0 && silent) return;
      if (number < 0) line.append(element("div", "no reply", "none"));
      else if (texts[number] === "") line.append(element("div", "empty reply", "none"));
      else line.append(words("div", number, "reply"));
    });
    const facts = element("div", undefined, "facts");
    metrics.forEach((metric, place) => {
      if (place) facts.append(" · ");
      facts.append(element("bdi", metric.label), " ");
      facts.append(element("span", score(place, data.scores[place][system][item]), "number"));
    });
    people.forEach((each) => {
      const value = each.means[system][item];
      if (value === null) return;
      const count = each.counts[system][item];
      facts.append(" · people, ", element("bdi", each.criterion), " ");
      facts.append(element("span", value.toFixed(2), "number"));
      if (count) facts.append(` (${count} rating${count === 1 ? "" : "s"})`);
    });
    line.append(facts);
    const pairs = data.matches ? data.matches.of[system][item] : [];
    line.append(...matched(pairs));
    return line;
  }

  function matched(pairs) {
    const own = new Map();
    for (let place = 0; place < pairs.length; place += 2) {
      const reference = pairs[place + 1];
      if (!own.has(reference)) own.set(reference, []);
      own.get(reference).push(data.grams[pairs[place]]);
    }
    const lines = [...own].sort((a, b) => a[0] - b[0]).map(([reference, grams]) => {
      const line = element("div", `matched in reference ${reference + 1}: `, "facts");
      grams.forEach((gram, place) => {
        if (place) line.append(" ");
        line.append(element("bdi", gram, "matched"));
      });
      return line;
    });
    return lines;
  }

  function turn(by_) {
    state.page += by_;
    list();
    by("list").querySelector("button").focus();
  }

  function linked() {
    let item = -1;
    try {
      const wanted = location.hash.match(/^#item=(.*)$/);
      if (wanted) item = ids.indexOf(decodeURIComponent(wanted[1]));
    } catch {
      return; // no address of ours
    }
    if (item < 0) return;
    const place = state.shown.indexOf(item);
    if (place >= 0) state.page = Math.floor(place / PAGE);
    list();
    show(item);
    by("item-title").focus();
  }

  choices(by("order"), Object.entries(orders)
    .filter(([, { needs }]) => metrics.length || !needs.includes("metric"))
    .filter(([, { needs }]) => people.length || !needs.includes("criterion"))
    .filter(([key]) => key !== "differ" || systems.length > 1)
    .map(([key, order]) => [key, order.name]));
  choices(by("metric"), metrics.map((metric, place) => [place, metric.label]));
  choices(by("a"), [["all", "all systems"], ...systems.map((name, place) => [place, name])]);
  choices(by("b"), systems.map((name, place) => [place, name]));
  choices(by("criterion"), people.map((each, place) => [place, each.criterion]));
  choices(by("group"), [["", "all items"]]);
  data.columns.forEach((column, place) => {
    const group = element("optgroup");
    group.label = column.name;
    const values = [...new Set(column.values)].filter((value) => value >= 0);
    values.sort((a, b) => (texts[a] < texts[b] ? -1 : 1));
    choices(group, values.map((value) => [`${place} ${value}`, texts[value]]));
    by("group").append(group);
  });
  by("of-group").hidden = !data.columns.length;
  browser.addEventListener("input", (event) => {
    if (event.target.id === "search") arrange();
  });
  browser.addEventListener("change", (event) => {
    if (event.target.id !== "search") arrange();
  });
  by("before").addEventListener("click", () => turn(-1));
  by("after").addEventListener("click", () => turn(1));
  by("list").addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...by("list").querySelectorAll("button")];
    const next = buttons[buttons.indexOf(document.activeElement) + step];
    if (next) { next.focus(); event.preventDefault(); }
  });
  document.querySelectorAll("a[data-id]").forEach((link) => {
    link.href = `#item=${encodeURIComponent(link.dataset.id)}`;
  });
  window.addEventListener("hashchange", linked);
  browser.hidden = false;
  arrange();
  linked();
});

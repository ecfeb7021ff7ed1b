// The search: which items have a text, in capitals or not. Texts are put together in pieces of about a
// million letters and folded to small letters, a piece after another while the page is idle; a search
// that comes before that folds the rest.
const searching = (data) => {
  const LETTERS = 1 << 20;
  const BETWEEN = "\0"; // no text has it, and nobody can search for it
  const { texts } = data;
  const ids = data.ids.map((id) => id.toLowerCase());
  const pieces = [];
  let next = 0;

  function fold() {
    const first = next;
    let letters = 0;
    while (next < texts.length && letters < LETTERS) {
      letters += texts[next].length;
      next += 1;
    }
    let own = texts.slice(first, next);
    let joined = own.join(BETWEEN);
    let folded = joined.toLowerCase();
    if (folded.length !== joined.length) {
      // One letter became two; no letter becomes fewer.
      own = own.map((text) => text.toLowerCase());
      folded = own.join(BETWEEN);
    }
    const ends = new Uint32Array(own.length);
    let end = -1;
    own.forEach((text, place) => {
      end += text.length + 1;
      ends[place] = end;
    });
    pieces.push({ first, folded, ends });
  }

  const later = window.requestIdleCallback
    || ((work) => setTimeout(() => work({ timeRemaining: () => 0 }), 20));
  function idle(deadline) {
    if (next >= texts.length) return;
    do fold(); while (next < texts.length && deadline.timeRemaining() > 8);
    later(idle);
  }
  later(idle);

  // By the number of a text 1 where it has the letters.
  function hits(sought) {
    while (next < texts.length) fold();
    const found = new Uint8Array(texts.length);
    for (const { first, folded, ends } of pieces) {
      let text = 0;
      let at = folded.indexOf(sought);
      while (at >= 0) {
        while (ends[text] < at) text += 1;
        found[first + text] = 1;
        at = folded.indexOf(sought, ends[text] + 1);
      }
    }
    return found;
  }

  // Whether an item has the words that are wanted, in its id or in a text.
  return (wanted) => {
    const sought = wanted.trim().toLowerCase();
    if (!sought) return () => true;
    const found = hits(sought);
    const any = (numbers) => numbers.some((number) => found[number] === 1);
    const one = (number) => (Array.isArray(number) ? any(number) : found[number] === 1);
    return (item) =>
      ids[item].includes(sought) || any(data.contexts[item]) || any(data.references[item]) ||
      data.replies.some((own) => one(own[item])) ||
      data.columns.some((column) => one(column.values[item]));
  };
};

// A model that the page carries and its engine runs: a field for a text, the heads, the next words, one head switched
// off. data: the reading that was stored when the page was made, shown until the engine has another.
const PAUSE = 800;  // milliseconds without a key, after which the model reads what was typed
const MOST_SECONDS = 20;

function livingReading(data) {
  const {config, tokenizer, weights, text: first, top, examples} = data.file;
  // now: what is shown, with the head that is off in it; off: the head that the reader wants to be off.
  let now = {...data, off: data.file.off}, off = now.off, heads = null, clock = 0, reads = false;
  let isOn = false, isLost = false;  // what is typed before the engine is on is read then
  let shown = keyOf(first, off);
  const field = el('textarea', {id: 'text', rows: 2, spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off',
    'aria-describedby': 'says', oninput: wait, onkeydown: enter});
  field.value = first;
  const says = el('p.says', {id: 'says', role: 'status'}, 'The engine in this page is starting.');
  const words = el('details.known', {hidden: true}, el('summary'), el('div.chips'));
  const ask = el('div.ask', {}, el('label', {for: 'text'}, 'What shall it read?'),
    el('div.typing', {}, field, button('Read', read, {class: 'primary'})), says,
    examples.length > 0 && el('div.chips', {role: 'group', 'aria-label': 'Sentences to try'},
      el('p', {}, 'In its text the first two words decide the last one: cats that chase or cross end in storms. These beginnings were never in it:'), examples.map(text => button(text, () => write(text)))),
    words);
  const tokens = el('div'), glance = el('div'), next = el('div'), large = el('div'), without = el('div');
  const cut = button('', () => {
    off = isOff(chosenHead()) ? null : [chosenHead().layer, chosenHead().head];
    read();
  });

  const heading = data.site ? 'h3' : 'h2';  // in the site, the model's own is above it
  const hint = el('p', {}, 'Press one, and the model reads on.');
  const numberOf = (layer, head) => now.heads.findIndex(one => one.layer === layer && one.head === head);
  const chosenHead = () => now.heads[heads.chosen];
  const isOff = ({layer, head}) => now.off?.[0] === layer && now.off[1] === head;

  function show() {
    const chosen = heads?.chosen ?? numberOf(...now.off ?? now.zeroed.furthest);
    const hadFocus = [next, glance].find(part => part.contains(document.activeElement));
    tokens.replaceChildren(readTokens(now.tokens));
    heads = headsView(now, {chosen, onChoose: label});
    glance.replaceChildren(heads.glance);
    large.replaceChildren(heads.large);
    showNext();
    without.replaceChildren(now.off === null ? withoutHead(now.zeroed, (...head) => heads.choose(numberOf(...head))) : '');
    label();
    (hadFocus?.querySelector('[aria-pressed=true]') ?? hadFocus?.querySelector('button'))?.focus();
  }
  function showNext() {
    const add = isLost ? null : text => write(typed(field.value) + text);
    next.replaceChildren(...now.off === null ? [likelyTokens(now.next, {add})] : [
      el('div.both', {}, likelyTokens(now.next, {add, caption: 'The whole model'}),
        likelyTokens(now.zeroed.next, {add, caption: now.zeroed.title})),
      ...now.zeroed.sentences.slice(1).map(sentence => el('p', {}, sentence))]);
  }
  function label() {
    if (!heads) return;
    const head = chosenHead(), name = headName(head);
    cut.textContent = isOff(head) ? `Switch on ${name}` : `Switch off ${name}${now.off ? ' instead' : ''}`;
    heads.mark(now.heads.findIndex(isOff));
  }

  function enter(event) {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    read();
  }
  function wait() {
    clearTimeout(clock);
    clock = setTimeout(read, PAUSE);
  }
  function write(text) {
    field.value = text;
    read();
  }
  // Reads the field. While the engine computes, the newest text waits.
  async function read() {
    clearTimeout(clock);
    if (!isOn || reads) return;
    reads = true;
    let key = null;
    const late = setTimeout(() => { says.textContent = 'The model reads …'; }, engine.isBeside ? 150 : 0);
    try {
      while (key !== (key = keyOf(field.value, off))) {
        if (key === shown) continue;
        const wanted = off, [layer, head] = wanted ?? [-1, 0];
        const answer = await engine.run({seconds: MOST_SECONDS}, 'read_text', typed(field.value), layer, head, top).done;
        now = {...answer, off: wanted};
        shown = key;
        show();
      }
      says.textContent = '';
    } catch ({message}) {
      words.open ||= /never read/.test(message);
      says.textContent = `${message}${shown === key ? '' : ' Below is what it read before.'}`;
    }
    clearTimeout(late);
    says.classList.toggle('problem', says.textContent !== '');
    reads = false;
    if (key !== keyOf(field.value, off)) read();  // typed while the model read what it could not
  }

  async function start() {
    // Put the stored reading on the screen before the engine starts.
    await new Promise(done => setTimeout(done, 50));
    try {
      await engine.start();
      const known = await engine.call('model', config, tokenizer, weights);
      words.firstChild.textContent = `The ${known.words.length} tokens that it knows`;
      words.lastChild.replaceChildren(...known.words.map(word => word.startsWith('␣')
        ? button(word, () => write(`${typed(field.value)} ${word.slice(1)}`), {class: 'token', 'aria-label': `go on with ${word}`}) : el('span.token', {}, word)));
      words.hidden = false;
    } catch ({message}) {
      ask.replaceChildren(el('p.note', {}, `The model cannot run in this page: ${message} Here is what it computed when the page was made.`));
      isLost = true;
      hint.remove();
      cut.remove();
      showNext();
      document.documentElement.dataset.engine = 'off';
      return;
    }
    isOn = true;
    says.textContent = '';
    document.documentElement.dataset.engine = 'ready';
    read();
  }
  show();
  start();
  return [ask, tokens,
    el('div.parts', {},
      el('section', {'aria-labelledby': 'heads'}, el(heading, {id: 'heads'}, 'All heads at a glance'),
        el('p', {}, HOW_TO_SEE), glance, cut),
      el('section', {'aria-labelledby': 'next'}, el(heading, {id: 'next'}, 'The likeliest next tokens'),
        hint, next)),
    large, without];
}

// The model has no token for a space at the end: a word brings its own.
const typed = text => text.replace(/ +$/, '');
const keyOf = (text, off) => JSON.stringify([typed(text), off]);

// The weights of one head as lines: queries on the left, keys on the right. While a query has the pointer or the focus,
// only its lines are drawn, with their numbers; a click keeps them, and calls onKeep(query), null: none.
const MOST_LINES = 40;  // tokens; with more tokens, only the followed query's lines are drawn

function betweenTokens(tokens, onKeep = () => {}) {
  let weights = null, pinned = null, followed = null;
  const svg = svgEl('svg', {viewBox: `0 0 100 ${tokens.length}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  const queries = tokens.map((token, query) => button(token, () => pin(query), {'aria-pressed': 'false',
    onpointerenter: () => look(query), onfocus: () => look(query), onblur: () => look(null)}));
  const numbers = tokens.map(() => el('span.weight'));
  const keys = tokens.map((token, key) => el('li', {}, el('span.token', {}, token), ' ', numbers[key]));
  const left = el('ul.looking', {'aria-label': 'Tokens that look'}, queries.map(query => el('li', {}, query)));
  left.addEventListener('pointerleave', () => look(null));
  left.addEventListener('keydown', event => {
    const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
    const at = queries.indexOf(event.target);
    if (!by || at < 0) return;
    queries[Math.max(0, Math.min(queries.length - 1, at + by))].focus();
    event.preventDefault();
    event.stopPropagation();
  });
  const says = el('p.follows');
  const node = el('div.between', {}, says, el('div.strands', {'--tokens': tokens.length}, left, svg,
    el('ul.looked-at', {'aria-label': 'Tokens that are looked at'}, keys)));

  function pin(query) {
    keep(pinned === query ? null : query);
    onKeep(pinned);
  }
  function keep(query) {
    pinned = query;
    queries.forEach((node, i) => node.setAttribute('aria-pressed', String(i === pinned)));
    look(null);
  }
  function look(query) {
    followed = query ?? pinned;
    draw();
  }
  function draw() {
    const lines = [];
    tokens.forEach((_, query) => {
      queries[query].classList.toggle('followed', query === followed);
      if (followed === null ? tokens.length > MOST_LINES : query !== followed) return;
      tokens.forEach((_, key) => {
        const share = WEIGHT_HEAT.share(weights.value(query, key));
        if (share === 0) return;
        lines.push(svgEl('line', {x1: 0, y1: query + 0.5, x2: 100, y2: key + 0.5,
          'stroke-opacity': (followed === null ? 0.7 * share * share : share).toFixed(3)}));
      });
    });
    svg.replaceChildren(...lines);
    tokens.forEach((_, key) => {
      numbers[key].textContent = followed === null ? '' : weights.text(followed, key);
      keys[key].style.setProperty('--heat',
        `${(100 * (followed === null ? 0 : WEIGHT_HEAT.share(weights.value(followed, key)))).toFixed(1)}%`);
    });
    says.textContent = followed === null ? 'Choose a token on the left: where does it look?'
      : `“${tokens[followed]}” looks at:`;
  }
  return {
    node, pin, keep, look,
    show(next) {
      weights = next;
      draw();
    },
  };
}

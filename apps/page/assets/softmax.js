// The opened number as a part of its row's softmax: the scores, their exps as bars, and each bar divided by the sum of
// all. The engine does the arithmetic.
const SOFTMAX_STAGES = ['', 'score − max', 'exp', 'exp ÷ sum'];

function softmaxOf(page) {
  let softmax = null, address = null, lines = [];
  const head = el('th', {scope: 'col'}), sumBar = el('td.length'), sumText = el('td.number'), body = el('tbody');
  const sumRow = el('tr.sum-row', {}, el('th', {scope: 'row'}, 'sum'), el('td'), sumBar, sumText);
  const player = playerOf({count: () => SOFTMAX_STAGES.length - 1, draw, say, perFrame: 1600, lead: 900,
    more: ['+ next stage', 'One stage more (+)'], less: ['− one less', 'One stage less (-)']});
  const node = el('section.softmax', {'aria-label': 'Softmax as bars', onkeydown: player.onkeydown}, player.buttons,
    player.status, player.running, el('div.scroll', {tabindex: 0, role: 'group', 'aria-label': 'Softmax of the row'},
      el('table.shares', {}, el('caption.unseen', {}, 'Softmax of the row'), el('thead', {}, el('tr', {}, el('td'),
        el('th', {scope: 'col'}, 'score'), el('td'), head)), body)));

  // Returns the panel's part for a number; null if no softmax has made it, or there is no engine.
  function viewFor(cell) {
    softmax = null;
    if (!cell.softmax?.count) return null;
    const {terms, count: size} = cell.softmax;
    if (!terms.length) return el('p.what', {}, `Its row has ${size} numbers: too many for bars.`);
    softmax = cell.softmax;
    const names = labelsIn(terms);
    lines = terms.map(({score}, k) => {
      const bar = el('i'), number = el('td.number'), isOwn = k === softmax.own;
      return {bar, number, share: el('i', {class: isOwn ? 'own' : null}), row: el('tr',
        {class: [isOwn && 'own', score.value === '-inf' && 'masked'].filter(Boolean).join(' ') || null},
        el('th', {scope: 'row'}, isOwn && [el('span', {'aria-hidden': 'true'}, '▸ '), unseen('opened: ')], names[k]),
        el('td.number', {}, score.value), el('td.length', {}, bar), number)};
    });
    body.replaceChildren(...lines.map(({row}) => row), sumRow);
    sumBar.replaceChildren(...lines.map(({share}) => share));
    player.show(address === cell.address ? player.at : 0);
    ({address} = cell);
    return node;
  }

  // The names of the row's places, if the step shows the row.
  function labelsIn(terms) {
    const [first, second] = terms.map(({here}) => here[0] && parseAddress(here[0]));
    const entry = first && page.lesson.tensorAt(first)?.entry;
    const dim = first?.index && second?.index ? first.index.findIndex((i, at) => i !== second.index[at]) : -1;
    const labels = dim >= 0 && entry.shape[dim] >= terms.length ? labelsOf(entry, dim, page.lesson.tokens) : null;
    return terms.map(({here}, k) => labels && here[0] ? labels[parseAddress(here[0]).index[dim]] : String(k));
  }

  function draw(at) {
    const length = text => Math.min(1, numberOf(text)) || 0;
    node.classList.toggle('begun', at > 0 || player.isPlaying);
    head.textContent = SOFTMAX_STAGES[at];
    lines.forEach(({bar, share, number}, k) => {
      const term = softmax.terms[k], texts = ['', term.distance, term.exp, term.share];
      number.textContent = texts[at];
      bar.style.setProperty('--length', at < 2 ? 0 : length(texts[at]));
      share.style.setProperty('--length', at < 3 ? 0 : length(term.share));
    });
    sumText.textContent = ['', '', softmax.sum, softmax.total][at];
  }
  function say(at) {
    return [`A row of ${softmax.count} scores. The largest is ${softmax.max}.`,
      `Each score minus the largest, ${softmax.max}: none is above 0.`,
      `exp of each: no bar is below 0. The sum is ${softmax.sum}.`,
      `Each exp divided by ${softmax.sum}: the sum is ${softmax.total}.`][at];
  }

  // Returns false if no softmax is open.
  function change(by) {
    if (!softmax) return false;
    player.go(by);
    return true;
  }
  return {viewFor, change};
}

// A tensor of queries and keys: the cells that a mask has removed and, for weights, a bar for each key that shows where
// the reader's query looks.
const MOST_BARS = 40;  // keys

function isQueryByKey(entry) {
  return entry.axes?.length >= 2 && entry.axes.at(-2) === 'query' && entry.axes.at(-1) === 'key';
}

// Returns the flat indices of scores of -inf, and of the weights that are 0 because of them.
function maskedCells(entry, numbers) {
  if (!isQueryByKey(entry)) return new Set();
  return new Set([...numbers.values.flatMap((value, flat) => value === -Infinity ? [flat] : []),
    ...entry.masked ?? []]);
}

// Covers a masked cell, and lets a screen reader call it masked; the number remains for readers who point at it or copy
// it.
function markMasked(td) {
  td.classList.add('masked', 'block-out');
  td.setAttribute('aria-label', `masked, ${td.textContent}`);
}

// Returns whether the numbers are shares of 1 in each row, which say where a query looks. Scores, gradients and random
// numbers are not.
function areWeights({values}, keys) {
  const LARGEST_ROUNDING = 1e-3;
  for (let first = 0; first < values.length; first += keys) {
    const row = values.slice(first, first + keys);
    if (row.some(value => !(value >= 0)) || Math.abs(row.reduce((sum, value) => sum + value, 0) - 1) > LARGEST_ROUNDING) return false;
  }
  return true;
}

// Returns {node, look(block, row)}; look shows a different row. null for a tensor that is no weights, or that has only
// two numbers, like a mask.
function barsOf(entry, numbers, heat, masked, tokens) {
  const keys = entry.shape.at(-1);
  if (!isQueryByKey(entry) || !keys || keys > MOST_BARS || !/float/.test(entry.dtype ?? '')) return null;
  if (new Set(numbers.values).size < 3 || !areWeights(numbers, keys)) return null;
  const queries = entry.shape.at(-2), outer = entry.shape.slice(0, -2);
  const queryNames = labelsOf(entry, entry.shape.length - 2, tokens);
  const says = el('p.looks');
  const lines = labelsOf(entry, entry.shape.length - 1, tokens).map(label => {
    const bar = svgEl('rect', {height: 1, width: 0}), number = el('span.number');
    const line = el('li', {}, el('span.key', {}, label),
      svgEl('svg', {viewBox: '0 0 100 1', preserveAspectRatio: 'none'}, bar), number);
    return {line, bar, number};
  });
  // A screen reader skips the bars: the table has the same numbers.
  const node = el('div.bars', {'aria-hidden': 'true'}, says, el('ol', {role: 'list'}, lines.map(({line}) => line)));

  function look(block, row) {
    const at = count(outer) > 1 ? `${blockLabel(entry, indexAt(outer, block))}: ` : '';
    says.replaceChildren(at, el('strong', {}, queryNames[row]), ' looks at');
    lines.forEach(({line, bar, number}, key) => {
      const flat = (block * queries + row) * keys + key, isMasked = masked.has(flat);
      bar.setAttribute('width', (100 * heat.share(numbers.values[flat])).toFixed(1));
      line.classList.toggle('masked', isMasked);
      number.textContent = isMasked ? 'masked' : numbers.texts[flat];
    });
  }
  look(0, queries - 1);  // the last query sees most
  return {node, look};
}

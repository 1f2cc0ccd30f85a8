// The page of `glassgrad inspect`: what a trained model computes when it reads a text. If the page carries the model, it
// reads what the reader types. In the site this is a part of the first page.
PAGES.inspect = function (data, root) {
  const reading = data.file ? livingReading(data) : storedReading(data);
  if (!data.site) {
    root.replaceChildren(topOfPage(), el('main', {}, el('h1', {}, data.title), el('p.lead', {}, data.model), ...reading));
    return;
  }
  document.querySelector('header nav').append(themeButton());
  touchMatrix(document.querySelector('#touch'));
  root.replaceChildren(el('h2', {}, data.title),
    el('p.lead', {}, `A head is a table like the one above, and this model has ${data.heads.length} of them. It was trained when this page was made: ${data.model}.`), ...reading);
};

const HOW_TO_SEE = 'A square for each head: a row for each token that looks, a column for each token that it looks at; the ' +
  'stronger the colour, the larger the weight. Each row adds to 1. Choose a head to see it large.';

// Shows what was computed when the page was made.
function storedReading(data) {
  return [readTokens(data.tokens),
    el('section', {'aria-labelledby': 'heads'}, el('h2', {id: 'heads'}, data.heads.length > 1 ? 'All heads at a glance' : 'The head'),
      el('p', {}, HOW_TO_SEE), headsView(data).node),
    el('section', {'aria-labelledby': 'next'}, el('h2', {id: 'next'}, 'The likeliest next tokens'), likelyTokens(data.next)),
    withoutHead(data.zeroed)];
}

function readTokens(tokens) {
  return el('p.reading', {}, 'It reads: ', tokens.map(token => el('span.token', {}, token)));
}

function topOfPage() {
  return el('header.top', {}, el('span.brand', {}, 'glassgrad'), themeButton());
}

// Tokens with their probabilities, and bars as long as these. caption: shown above, if there are several tables; add:
// called with the text of a token that the reader presses.
function likelyTokens(next, {caption, add} = {}) {
  const named = ({token, adds}) => add && adds !== undefined
    ? button(token, () => add(adds), {class: 'token', 'aria-label': `go on with ${token}`}) : el('span.token', {}, token);
  return el('table.likely', {}, el(caption ? 'caption' : 'caption.unseen', {}, caption ?? 'Probabilities of the next token'),
    el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'token'), el('th', {scope: 'col'}, 'probability'))),
    el('tbody', {}, next.map(one => el('tr', {}, el('th', {scope: 'row'}, named(one)),
      el('td', {}, el('i.share', {'--share': one.share, 'aria-hidden': 'true'}), el('span', {}, one.text))))));
}

// choose(layer, head) is called for a number of the table.
function withoutHead(zeroed, choose) {
  const section = el('section', {'aria-labelledby': 'without'}, el('h2', {id: 'without'}, choose ? `Which head matters most? ${zeroed.title}` : zeroed.title),
    zeroed.sentences.map(sentence => el('p', {}, sentence)));
  if (zeroed.change) {
    const rows = zeroed.change.map(row => row.split(' '));
    section.append(matrixTable({
      caption: 'change of the probability', corner: ['layer', el('span.by', {}, ' \\ '), 'head'],
      rows: rows.map((_, layer) => String(layer)), columns: rows[0].map((_, head) => String(head)),
      rowCount: rows.length, columnCount: rows[0].length,
      heat: heatOf(rows.flat().map(Number)),
      cells: (row, column) => ({text: rows[row][column], value: Number(rows[row][column])}),
      open: choose,
    }).node);
  }
  return section;
}

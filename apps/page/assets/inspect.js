// The page of `glassgrad inspect`: what a trained model computes when it reads a text.
PAGES.inspect = function (data, root) {
  const heads = headsView(data);
  root.replaceChildren(topOfPage(), el('main', {},
    el('h1', {}, data.title),
    el('p.lead', {}, data.model),
    el('p.reading', {}, 'It reads: ', data.tokens.map(token => el('span.token', {}, token))),
    el('section', {'aria-labelledby': 'heads'}, el('h2', {id: 'heads'}, data.heads.length > 1 ? 'All heads at a glance' : 'The head'),
      el('p', {}, 'A square for each head: a row for each token that looks, a column for each token that it looks at; the ' +
        'stronger the colour, the larger the weight. Each row adds to 1. Choose a head to see it large.'), heads.node),
    el('section', {'aria-labelledby': 'next'}, el('h2', {id: 'next'}, 'The likeliest next tokens'), likelyTokens(data.next)),
    withoutHead(data.zeroed)));
};

function topOfPage() {
  return el('header.top', {}, el('span.brand', {}, 'glassgrad'), themeButton());
}

// Tokens with their probabilities, and bars as long as these.
function likelyTokens(next) {
  return el('table.likely', {}, el('caption.unseen', {}, 'Probabilities of the next token'),
    el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'token'), el('th', {scope: 'col'}, 'probability'))),
    el('tbody', {}, next.map(({token, text, share}) => el('tr', {}, el('th', {scope: 'row'}, el('span.token', {}, token)),
      el('td', {}, el('i.share', {'--share': share, 'aria-hidden': 'true'}), el('span', {}, text))))));
}

function withoutHead(zeroed) {
  if (!zeroed) return null;
  const section = el('section', {'aria-labelledby': 'without'}, el('h2', {id: 'without'}, zeroed.title),
    zeroed.sentences.map(sentence => el('p', {}, sentence)));
  if (zeroed.change) {
    const rows = zeroed.change.map(row => row.split(' '));
    section.append(matrixTable({
      caption: 'change of the probability', corner: ['layer', el('span.by', {}, ' \\ '), 'head'],
      rows: rows.map((_, layer) => String(layer)), columns: rows[0].map((_, head) => String(head)),
      rowCount: rows.length, columnCount: rows[0].length,
      heat: heatOf(rows.flat().map(Number)),
      cells: (row, column) => ({text: rows[row][column], value: Number(rows[row][column])}),
    }).node);
  }
  return section;
}

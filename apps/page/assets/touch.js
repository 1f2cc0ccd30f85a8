// The first page's matrix: attention weights of a lesson, as the table that readers without scripts have. A word or a
// number that is touched says where that word looks.
function touchMatrix(node) {
  const plain = node.querySelector('table');
  const textsOf = (within, selector) => [...within.querySelectorAll(selector)].map(one => one.textContent);
  const tokens = textsOf(plain, 'tbody th');
  const rows = [...plain.tBodies[0].rows].map(row => textsOf(row, 'td'));
  const {lesson, tensor} = node.dataset;
  const weights = weightsOf({rows: rows.map(row => row.join(' '))}, '0');
  const between = betweenTokens(tokens, sayWord);
  const says = el('p.says', {role: 'status'});
  function sayWord(row) {
    node.querySelector('.opened')?.classList.remove('opened');
    if (row === null) return says.replaceChildren('Touch a number, or a word beside the lines.');
    const most = weights.values(row).reduce((best, weight, key, all) => weight > all[best] ? key : best, 0);
    says.replaceChildren(`“${tokens[row]}” looks most at ${most === row ? 'itself' : `“${tokens[most]}”`}, with the weight ${weights.text(row, most)}.`);
  }
  const matrix = matrixTable({
    caption: unseen('Attention weights'),
    corner: ['looks', el('span.by', {}, ' \\ '), 'at'],
    rows: tokens, columns: tokens, rowCount: tokens.length, columnCount: tokens.length,
    heat: WEIGHT_HEAT,
    cells: (row, column) => ({text: weights.text(row, column), value: weights.value(row, column)}),
    decorate: (td, row, column) => column > row && td.classList.add('future'),
    open(row, column) {
      node.querySelector('.opened')?.classList.remove('opened');
      matrix.cell(row, column).classList.add('opened');
      between.keep(row);
      const number = weights.text(row, column), from = tokens[row], to = tokens[column];
      says.replaceChildren(column > row
        ? `“${from}” takes nothing from “${to}”: no word sees a later one. `
        : `“${from}” looks at ${row === column ? 'itself' : `“${to}”`} with the weight ${number}: this share of what it takes in comes from there. `,
      el('a', {href: `lessons/${lesson}.html#${tensor}[${row},${column}]`}, `How ${number} is computed`), ', a later step of the first lesson.');
    },
    look: row => between.look(row),
    hover: place => between.look(place ? place.row : null),
  });
  between.show(weights);
  sayWord(null);
  node.replaceChildren(el('div.large', {}, el('div', {}, matrix.node, says,
    el('p.small', {}, 'This is a first exercise: its weights are made up. The model below has learned its own.')), between.node));
}

// The opened number as a row times a column. The panel shows both matrices with the row and the column highlighted; so
// do the step's tables that show these numbers, through views and transposes. Each press adds one product to the sum.
// The engine does the arithmetic.
function productOf(page) {
  let address = null, product = null, shown = 0;
  let operands = [];  // {node, cells: a <td> for each term, kind}
  const state = el('p.sum', {role: 'status'});
  const more = button('+ next term', () => change(1), {title: 'One product more (+)'});
  const less = button('− one less', () => change(-1), {title: 'One product less (-)'});
  const all = button('all', () => change(product.terms.length));
  const matrices = el('div.operands'), strip = el('table.strip'), terms = el('ol.terms', {role: 'list', tabindex: 0, 'aria-label': 'Terms'});
  const node = el('section.product', {'aria-label': 'Term by term'}, el('div.actions', {}, more, less, all), state,
    matrices, el('div.scroll', {tabindex: 0, role: 'group', 'aria-label': 'Row and column'}, strip), terms);

  const pairs = () => product.terms.filter(term => term.right);
  const called = ({name, address: to}) => to
    ? button(name, () => page.openCell(to, {follow: true}), {class: 'operand', title: to}) : name;

  // Returns the panel's part for a number; null if the number is no such sum, or there is no engine.
  function viewFor(cell) {
    const found = cell.product;
    if (!found?.terms.length) return forget();
    if (address !== cell.address || shown > found.terms.length) shown = 0;
    address = cell.address;
    product = found;
    operands = [operandOf(product.left, 'left', 'row'), operandOf(product.right, 'right', 'column')];
    matrices.replaceChildren(...operands.map(operand => operand.node));
    draw();
    return node;
  }
  function forget() {
    address = product = null;
    operands = [];
    shown = 0;
    return null;
  }

  // One of the matrices as the product reads it; for a large matrix, only the numbers that it reads.
  function operandOf({address: to, transposed, shape, cells, lit}, side, kind) {
    const terms = pairs(), found = to ? page.lesson.tensorAt(parseAddress(to)) : null, isVector = shape[0] === 1;
    const [rows, columns] = cells || isVector ? shape : kind === 'row' ? [1, terms.length] : [terms.length, 1];
    const texts = cells?.split(' ') ?? terms.map(term => term[side].value);
    // Rows and columns have names only if the page's tensor has the same size.
    const dims = found?.entry.shape.length ?? 0, entry = found?.entry;
    const labels = (dim, size) => dims > 1 && cells && entry.shape[dim] === size ? labelsOf(entry, dim, page.lesson.tokens) : null;
    const rowNames = labels(dims - (transposed ? 1 : 2), rows), columnNames = labels(dims - (transposed ? 2 : 1), columns);
    const tds = texts.map(text => el('td', {}, text));
    const table = el('table', {}, columnNames && el('thead', {}, el('tr', {}, rowNames && el('td.corner'),
      columnNames.map(name => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, Array.from({length: rows}, (_, row) => el('tr', {}, rowNames && el('th', {scope: 'row'}, rowNames[row]),
      tds.slice(row * columns, (row + 1) * columns)))));
    const [first] = terms, name = withoutCell(first[side].name);
    const caption = el('figcaption', {}, isVector ? '' : `${kind} of `,
      to ? linkTo(page, withoutCell(to), name) : `a result of ${name} that no step shows`, transposed ? ', transposed' : '',
      ` (${shape.join(' × ')})`);
    const scroll = el('div.scroll', {tabindex: 0, role: 'group', 'aria-label': caption.textContent}, table);
    return {node: el('figure.operand', {}, caption, scroll), scroll, kind, cells: lit.map((flat, k) => tds[cells || isVector ? flat : k])};
  }

  function drawOperands() {
    for (const {cells, kind, scroll} of operands) {
      cells.forEach(td => td.classList.remove(`in-${kind}`, 'now-added'));
      cells.slice(0, shown).forEach(td => td.classList.add(`in-${kind}`));
      const now = cells[shown - 1];
      if (!now) continue;
      now.classList.add('now-added');
      // Only this box scrolls: scrollIntoView would move the page as well.
      const box = scroll.getBoundingClientRect(), at = now.getBoundingClientRect();
      scroll.scrollTop += Math.min(0, at.top - box.top) + Math.max(0, at.bottom - box.bottom);
      scroll.scrollLeft += Math.min(0, at.left - box.left) + Math.max(0, at.right - box.right);
    }
  }

  // Draws the row above the column, with a column of the table for each term.
  function drawStrip() {
    const row = (title, side, kind) => el('tr', {class: kind}, el('th', {scope: 'row'}, title),
      pairs().map((term, k) => el('td', {class: k === shown - 1 ? 'now' : k < shown ? 'done' : null}, term[side].value)));
    strip.replaceChildren(el('caption.unseen', {}, 'The row and the column'),
      el('tbody', {}, row('row', 'left', 'in-row'), row('column', 'right', 'in-column')));
    strip.querySelector('.now')?.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  function drawTerms() {
    terms.replaceChildren(...product.terms.slice(0, shown).map((term, k) => el('li', {},
      el('span', {}, k ? '+ ' : '', called(term.left), term.right ? [' · ', called(term.right)] : ', the bias'),
      el('span.product-of', {}, term.right ? `${term.left.value} · ${term.right.value} = ${term.product}` : term.product),
      el('strong', {}, `sum ${term.sum}`))));
    terms.scrollTop = terms.scrollHeight;
    terms.hidden = shown === 0;
  }

  function draw() {
    const count = product.terms.length, plural = count === 1 ? '' : 's';
    const bias = product.terms.at(-1).right ? '' : ', the last of them the bias';
    state.textContent = shown === 0 ? `A row times a column: ${count} term${plural}${bias}.`
      : shown < count ? `${shown} of ${count} terms: ${product.terms[shown - 1].sum}`
        : `All ${count} term${plural}: ${product.terms.at(-1).sum}` + (product.exact ? ', the number itself.'
          : '. The kernel adds in a different order, so the last digits may differ.');
    more.disabled = all.disabled = shown === count;
    less.disabled = shown === 0;
    node.classList.toggle('begun', shown > 0);
    drawOperands();
    drawStrip();
    drawTerms();
  }

  function mark() {
    for (const td of page.stage.querySelectorAll('td.in-row, td.in-column, td.now-added'))
      if (!node.contains(td)) td.classList.remove('in-row', 'in-column', 'now-added');
    if (!product || page.cell?.address !== address || shown === 0) return;
    product.terms.slice(0, shown).forEach((term, k) => [[term.left, 'in-row'], [term.right, 'in-column']].forEach(([cell, kind]) => {
      for (const td of (cell?.here ?? []).map(one => page.cellOf(one)).filter(Boolean)) {
        td.classList.add(kind);
        if (k === shown - 1) td.classList.add('now-added');
      }
    }));
  }

  // Returns false if no product is open.
  function change(by) {
    if (!product) return false;
    shown = Math.max(0, Math.min(product.terms.length, shown + by));
    draw();
    mark();
    return true;
  }

  // If no number is open, + opens the number that has the focus.
  async function add() {
    const here = document.activeElement?.dataset?.address;
    if (here && here !== page.cell?.address) page.openCell(here);
    await page.answering;
    if (change(1)) return;
    if (!page.cell) page.say('Open a number of a matrix product first: Tab chooses one, Enter opens it.');
    else page.say(page.engine.isOn ? 'This number is no row times a column.' : `That needs the engine: ${page.engine.why}`);
  }

  return {viewFor, mark, add, takeBack: () => change(-1)};
}

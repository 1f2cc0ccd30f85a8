// The opened number as a row times a column. The panel shows both matrices with the row and the column highlighted; so
// do the step's tables that show these numbers, through views and transposes. Each press adds one product to the sum;
// while it plays, the two numbers of each product fly to the cell. The engine does the arithmetic.
function productOf(page) {
  let address = null, product = null;
  let lit = 0;  // how many terms are highlighted: while numbers fly, one more than the sum has
  let operands = [];  // {node, cells: a <td> for each term, kind}
  const flight = flightOf(), cover = coverOf('');
  const player = playerOf({count: () => product.terms.length, draw, say, move: fly, land: flight.land,
    more: ['+ next term', 'One product more (+)'], less: ['− one less', 'One product less (-)']});
  const matrices = el('div.operands'), strip = el('table.strip'), terms = el('ol.terms', {role: 'list', tabindex: 0, 'aria-label': 'Terms'});
  const node = el('section.product', {'aria-label': 'Term by term', onkeydown: player.onkeydown},
    player.buttons, player.status, player.running, matrices, el('div.scroll', {tabindex: 0, role: 'group', 'aria-label': 'Row and column'}, strip), terms);

  const pairs = () => product.terms.filter(term => term.right);
  const called = ({name, address: to}) => to
    ? button(name, () => page.openCell(to, {follow: true}), {class: 'operand', title: to}) : name;

  // Returns the panel's part for a number; null if the number is no such sum, or there is no engine.
  function viewFor(cell) {
    const found = cell.product;
    if (!found?.terms.length) return forget();
    const at = address === cell.address ? player.at : 0;
    address = cell.address;
    product = found;
    operands = [operandOf(product.left, 'left', 'row'), operandOf(product.right, 'right', 'column')];
    matrices.replaceChildren(...operands.map(operand => operand.node));
    player.show(at);
    return node;
  }
  function forget() {
    address = product = null;
    operands = [];
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
      cells.slice(0, lit).forEach(td => td.classList.add(`in-${kind}`));
      const now = cells[lit - 1];
      if (!now) continue;
      now.classList.add('now-added');
      bringInto(scroll, now);
    }
  }
  // Scrolls only this box: scrollIntoView would move the panel and the page as well.
  function bringInto(scroll, now) {
    const box = scroll.getBoundingClientRect(), at = now.getBoundingClientRect();
    scroll.scrollTop += Math.min(0, at.top - box.top) + Math.max(0, at.bottom - box.bottom);
    scroll.scrollLeft += Math.min(0, at.left - box.left) + Math.max(0, at.right - box.right);
  }

  // Draws the row above the column, with a column of the table for each term.
  function drawStrip() {
    const row = (title, side, kind) => el('tr', {class: kind}, el('th', {scope: 'row'}, title),
      pairs().map((term, k) => el('td', {class: k === lit - 1 ? 'now' : k < lit ? 'done' : null}, term[side].value)));
    strip.replaceChildren(el('caption.unseen', {}, 'The row and the column'),
      el('tbody', {}, row('row', 'left', 'in-row'), row('column', 'right', 'in-column')));
    const now = strip.querySelector('.now');
    if (now) bringInto(strip.parentNode, now);
  }

  function drawTerms(shown) {
    terms.replaceChildren(...product.terms.slice(0, shown).map((term, k) => el('li', {},
      el('span', {}, k ? '+ ' : '', called(term.left), term.right ? [' · ', called(term.right)] : ', the bias'),
      el('span.product-of', {}, productIn(term)),
      el('strong', {}, `sum ${term.sum}`))));
    terms.scrollTop = terms.scrollHeight;
    terms.hidden = shown === 0;
  }
  const productIn = ({left, right, product: result}) => right ? `${left.value} · ${right.value} = ${result}` : result;

  function say(shown) {
    const count = product.terms.length, plural = count === 1 ? '' : 's';
    const bias = product.terms.at(-1).right ? '' : ', the last of them the bias';
    return shown === 0 ? `A row times a column: ${count} term${plural}${bias}.`
      : shown < count ? `${shown} of ${count} terms: ${product.terms[shown - 1].sum}`
        : `All ${count} term${plural}: ${product.terms.at(-1).sum}` + (product.exact ? ', the number itself.'
          : '. The kernel adds in a different order, so the last digits may differ.');
  }

  function draw(shown) {
    light(shown);
    drawTerms(shown);
    // While it plays, the opened cell shows the sum so far.
    cover.dataset.number = product.terms[shown - 1]?.sum ?? '';
    const td = player.isPlaying && shown < product.terms.length && page.cellOf(address);
    if (td) td.append(cover);
    else cover.remove();
  }
  function light(count) {
    lit = count;
    node.classList.toggle('begun', lit > 0 || player.isPlaying);
    drawOperands();
    drawStrip();
    mark();
  }

  // The numbers of the term that comes next fly to the opened cell; if it is out of sight, to the panel's sum.
  function fly(next, duration) {
    light(next);
    const k = next - 1, term = product.terms[k];
    const numbers = [[term.left, 'in-row'], [term.right, 'in-column']].filter(([cell]) => cell).map(([cell, kind], side) => ({
      text: cell.value, kind,
      from: [...cell.here.map(one => page.cellOf(one)), operands[side].cells[k], strip.rows[side].cells[k + 1]]}));
    flight.meet(numbers, term.product, [page.cellOf(address), player.running], duration);
  }

  function mark() {
    for (const td of page.stage.querySelectorAll('td.in-row, td.in-column, td.now-added'))
      if (!node.contains(td)) td.classList.remove('in-row', 'in-column', 'now-added');
    if (!product || page.cell?.address !== address || lit === 0) return;
    product.terms.slice(0, lit).forEach((term, k) => [[term.left, 'in-row'], [term.right, 'in-column']].forEach(([cell, kind]) => {
      for (const td of (cell?.here ?? []).map(one => page.cellOf(one)).filter(Boolean)) {
        td.classList.add(kind);
        if (k === lit - 1) td.classList.add('now-added');
      }
    }));
  }

  // Returns false if no product is open.
  function change(by) {
    if (!product) return false;
    player.go(by);
    return true;
  }

  // If no number is open, + opens the number that has the focus.
  async function add() {
    const here = document.activeElement?.dataset?.address;
    if (here && here !== page.cell?.address) page.openCell(here);
    await page.answering;
    if (change(1) || page.softmax.change(1)) return;
    if (!page.cell) page.say('Open a number of a matrix product or a softmax first: Tab chooses one, Enter opens it.');
    else page.say(page.engine.isOn ? 'This number is no row times a column, and no softmax has made it.'
      : `That needs the engine: ${page.engine.why}`);
  }

  return {viewFor, mark, add, takeBack: () => change(-1) || page.softmax.change(-1)};
}

// The opened number as a row times a column: both lit up, in the tables and in the panel, and the sum as it grows, one
// product more with each press. The engine does the arithmetic.
function productOf(page) {
  let address = null, product = null, shown = 0;
  const state = el('p.sum', {role: 'status'});
  const more = button('+ next term', () => change(1), {title: 'One product more (+)'});
  const less = button('− one less', () => change(-1), {title: 'One product less (-)'});
  const all = button('all', () => change(product.terms.length));
  const strip = el('table.strip'), terms = el('ol.terms', {role: 'list', tabindex: 0, 'aria-label': 'Terms'});
  const node = el('section.product', {'aria-label': 'Term by term'}, el('div.actions', {}, more, less, all), state,
    el('div.scroll', {tabindex: 0, role: 'group', 'aria-label': 'Row and column'}, strip), terms);

  const pairs = () => product.terms.filter(term => term.right);
  const called = ({name, address: to}) => to
    ? button(name, () => page.openCell(to, {follow: true}), {class: 'operand', title: to}) : name;

  // What the panel has of it; null: the number is no such sum, or there is no engine.
  function viewFor(cell) {
    if (!page.engine.isOn || !cell.op) return forget();
    let found;
    try {
      found = page.engine.call('product', cell.address);
    } catch {
      return forget();
    }
    if (!found.terms.length) return forget();
    if (address !== cell.address || shown > found.terms.length) shown = 0;
    address = cell.address;
    product = found;
    draw();
    return node;
  }
  function forget() {
    address = product = null;
    shown = 0;
    return null;
  }

  // The row and the column under each other, a column of this table for each term.
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
    drawStrip();
    drawTerms();
    node.classList.toggle('begun', shown > 0);
  }

  function mark() {
    for (const td of page.stage.querySelectorAll('td.in-row, td.in-column, td.now-added'))
      if (!node.contains(td)) td.classList.remove('in-row', 'in-column', 'now-added');
    if (!product || page.cell?.address !== address || shown === 0) return;
    product.terms.forEach((term, k) => [[term.left, 'in-row'], [term.right, 'in-column']].forEach(([cell, kind]) => {
      const td = cell?.address && page.cellOf(cell.address);
      td?.classList.add(kind);
      if (k === shown - 1) td?.classList.add('now-added');
    }));
  }

  // false: there is nothing to add to or to take from.
  function change(by) {
    if (!product) return false;
    shown = Math.max(0, Math.min(product.terms.length, shown + by));
    draw();
    mark();
    return true;
  }

  // + without an opened number opens the one that the focus is on.
  function add() {
    const here = document.activeElement?.dataset?.address;
    if (here && here !== page.cell?.address) page.openCell(here);
    if (change(1)) return;
    if (!page.cell) page.say('Open a number of a matrix product first: Tab chooses one, Enter opens it.');
    else page.say(page.engine.isOn ? 'This number is no row times a column.' : `That needs the engine: ${page.engine.why}`);
  }

  return {viewFor, mark, add, takeBack: () => change(-1)};
}

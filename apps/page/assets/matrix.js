// A matrix as a table: a grid, so that arrows move from cell to cell and only one cell is a stop for Tab.
const MOST_CELLS = 3000;  // shown at once; a button shows the rest of a longer matrix

// spec: caption (nodes), corner, columns and rows (labels, or null for none), cells(row, column) -> {text, value},
// heat, and optional: sums (texts of the rows' sums), decorate(td, row, column), open(row, column), hover({row, column}
// or null), leave(by, column) when an arrow goes over the upper or lower edge, look(row) when the reader is at this row.
// The result's cell(row, column) returns the <td>, or null while its row is not shown.
function matrixTable(spec) {
  const rowCount = spec.rowCount, columnCount = spec.columnCount;
  const body = el('tbody');
  const table = el('table.matrix', {role: 'grid'}, el('caption', {}, spec.caption), headOf(spec), body);
  const rows = [], places = new Map();
  let stop = null;

  function addRows(until) {
    for (let row = rows.length; row < until; ++row) {
      const tr = el('tr');
      if (spec.rows) tr.append(el('th', {scope: 'row'}, spec.rows[row]));
      const cells = [];
      for (let column = 0; column < columnCount; ++column) {
        const {text, value} = spec.cells(row, column);
        const td = el('td', {tabindex: -1}, text);
        paint(td, value, spec.heat);
        spec.decorate?.(td, row, column);
        places.set(td, {row, column});
        cells.push(td);
      }
      tr.append(...cells);
      if (spec.sums) tr.append(el('td.sum', {tabindex: -1}, spec.sums[row]));
      rows.push(cells);
      body.append(tr);
    }
  }
  const atOnce = Math.max(1, Math.floor(MOST_CELLS / Math.max(1, columnCount)));
  addRows(Math.min(rowCount, atOnce));
  let more = null;
  if (rows.length < rowCount) {
    more = button(`Show all ${rowCount} rows`, () => {
      addRows(rowCount);
      more.remove();
      focusCell(atOnce, 0);
    }, {class: 'more'});
  }
  if (rows[0]?.[0]) setStop(rows[0][0]);

  function setStop(td) {
    if (stop) stop.tabIndex = -1;
    stop = td;
    stop.tabIndex = 0;
  }
  function focusCell(row, column) {
    const td = rows[row]?.[column];
    if (!td) return false;
    td.focus();
    return true;
  }
  const placeUnder = event => places.get(event.target.closest('td'));

  table.addEventListener('click', event => {
    const place = placeUnder(event);
    if (!place) return;
    rows[place.row][place.column].focus({preventScroll: true});  // it is in sight
    spec.open?.(place.row, place.column);
  });
  table.addEventListener('focusin', event => {
    if (!places.has(event.target)) return;
    setStop(event.target);
    spec.look?.(places.get(event.target).row);
  });
  table.addEventListener('keydown', event => {
    const place = placeUnder(event);
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' || event.key === 'i') spec.open?.(place.row, place.column);
    else if (!moveFrom(place, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  if (spec.look) {
    table.addEventListener('pointerover', event => {
      const place = placeUnder(event);
      if (place) spec.look(place.row);
    });
  }
  if (spec.hover) {
    table.addEventListener('pointerover', event => spec.hover(placeUnder(event) ?? null));
    table.addEventListener('pointerleave', () => spec.hover(null));
  }

  function moveFrom({row, column}, key) {
    switch (key) {
      case 'ArrowRight': case 'l': return focusCell(row, column + 1) || true;
      case 'ArrowLeft': case 'h': return focusCell(row, column - 1) || true;
      case 'ArrowDown': case 'j': return focusCell(row + 1, column) || spec.leave?.(1, column) || true;
      case 'ArrowUp': case 'k': return focusCell(row - 1, column) || spec.leave?.(-1, column) || true;
      case 'Home': return focusCell(row, 0);
      case 'End': return focusCell(row, columnCount - 1);
      default: return false;
    }
  }

  return {
    node: el('div.scroll', {}, table, more),
    table,
    rowCount,
    focusCell,
    cell: (row, column) => rows[row]?.[column] ?? null,
    // Shows a row that is still hidden, for a deep link.
    reveal(row) {
      if (row >= rows.length) more?.click();
    },
  };
}

function headOf(spec) {
  if (!spec.columns) return null;
  const corner = spec.rows ? el('td.corner', {}, spec.corner ?? '') : null;
  return el('thead', {}, el('tr', {}, corner, spec.columns.map(label => el('th', {scope: 'col'}, label)),
    spec.sums ? el('th.sum', {scope: 'col'}, 'row sum') : null));
}

// One tensor of a step: its name and shape, its matrices, and its special features.
const MOST_BLOCKS = 4;  // beside each other; more of them get tabs
const MOST_UNFOLDED = 500_000;  // cells that a page can hold as texts

// numbers: from numbersOf(). hooks, all but tokens optional: before (texts of the cells in the unchanged run),
// open(flat), leave(figure, by, column), hidden (flat indices that a question asks for), sumsHidden, asPyTorch, step
// (its id, for the cells' addresses), unfold(entry), wholeBatch (false: only the first sentence is shown), mask(figure):
// the part that plays the mask. The result's cell(flat) returns the <td> if it is shown.
function tensorFigure(entry, numbers, hooks) {
  const figure = el('figure.tensor', {'data-tensor': entry.name});
  const parts = {node: figure, entry, numbers, cell: () => null, reveal() {}, focusCell: () => false};
  if (!numbers) {
    figure.append(el('pre.printed', {}, entry.reworded && [el('span.changes', {}, '▲ '), unseen('changed: ')], entry.line));
    return parts;
  }
  if (entry.folded) return folded(entry, hooks, parts);
  if (hooks.asPyTorch && !hooks.hidden?.size) {
    figure.append(captionOf(entry, hooks, el('figcaption')), el('pre.repr', {tabindex: 0}, numbers.text));
    return parts;
  }
  if (count(entry.shape) === 0) {
    figure.append(captionOf(entry, hooks, el('figcaption')), el('pre.repr', {}, numbers.text));
    return parts;
  }
  return withBlocks(entry, hooks, parts);
}

function captionOf(entry, hooks, into) {
  into.append(el('span.name', {}, entry.name), ' ', el('span.shape', {}, shapeText(entry)));
  if (entry.dtype && !/float32/.test(entry.dtype)) into.append(' ', el('span.dtype', {}, entry.dtype));
  if (entry.line && entry.line !== entry.name) into.append(' ', el('code.line', {}, entry.line));
  if (entry.changed_text) into.append(' ', el('span.changes', {}, `▲ ${entry.changed_text.replaceAll('->', '→')}`));
  return into;
}

function folded(entry, hooks, parts) {
  const why = el('p.folded', {}, entry.folded.why || 'Too large for a page: only its checksum is stored.',
    ' ', el('code', {}, entry.folded.checksum));
  if (hooks.unfold && entry.folded.cells <= MOST_UNFOLDED)
    why.append(' ', button('Compute it here', () => hooks.unfold(entry)));
  parts.node.append(captionOf(entry, hooks, el('figcaption')), why, el('pre.repr', {tabindex: 0}, parts.numbers.text));
  return parts;
}

// The last two dimensions are a table's rows and columns; each index of those before them is a block.
function withBlocks(entry, hooks, parts) {
  const dims = entry.shape.length, outer = entry.shape.slice(0, Math.max(0, dims - 2));
  const blockCount = count(outer), size = count(entry.shape) / blockCount;
  const heat = heatOf(parts.numbers.values, entry.dtype);
  const columns = dims ? entry.shape[dims - 1] : 1;
  const masked = hooks.hidden?.size ? new Set() : maskedCells(entry, parts.numbers);
  const bars = hooks.hidden?.size || hooks.allBlocks ? null : barsOf(entry, parts.numbers, heat, masked, hooks.tokens);
  const seen = hooks.wholeBatch || hooks.allBlocks || hooks.hidden?.size || !isBatch(entry) ? blockCount
    : blockCount / entry.shape[0];
  const unfold = () => {
    parts.node.replaceChildren();
    return withBlocks(entry, {...hooks, wholeBatch: true}, parts);
  };
  const blocks = [];
  const leave = (number, by, column) =>
    blocks[number + by] && !blocks[number + by].node.hidden
      ? blocks[number + by].focusCell(by > 0 ? 0 : blocks[number + by].rowCount - 1, column)
      : hooks.leave?.(parts, by, column);
  const made = number => blocks[number] ??= blockOf(entry,
    {...hooks, leave, masked, look: bars?.look}, heat, number, number * size, parts);
  parts.cell = flat => {
    const block = blocks[Math.floor(flat / size)];
    if (!block || block.node.hidden) return null;
    return block.cell(Math.floor(flat % size / columns), flat % columns);
  };
  // row: from the first block that is shown; -1 is its last row.
  parts.focusCell = (row, column) => {
    const block = blocks.find(one => one && !one.node.hidden);
    return block.focusCell(row < 0 ? block.rowCount - 1 : row, Math.min(column, columns - 1));
  };

  if (seen <= MOST_BLOCKS || hooks.allBlocks) {
    parts.reveal = flat => flat < seen * size ? made(Math.floor(flat / size)).reveal(Math.floor(flat % size / columns))
      : unfold().reveal(flat);
    const row = el('div.blocks', {}, Array.from({length: seen}, (_, i) => made(i).node), bars?.node);
    parts.node.append(captionOf(entry, hooks, el('figcaption')), row);
  } else {
    const tabs = tabsOf(Array.from({length: seen}, (_, i) => blockLabel(entry, indexAt(outer, i))),
      number => made(number).node);
    parts.reveal = flat => {
      if (flat >= seen * size) return unfold().reveal(flat);
      tabs.choose(Math.floor(flat / size));
      made(Math.floor(flat / size)).reveal(Math.floor(flat % size / columns));
    };
    parts.node.append(captionOf(entry, hooks, el('figcaption')), tabs.node,
      bars?.node ?? '');
  }
  const {reveal} = parts;
  parts.reveal = flat => {
    reveal(flat);
    bars?.look(Math.floor(flat / size), Math.floor(flat % size / columns));
  };
  if (seen < blockCount) parts.node.append(otherSentences(entry, parts.numbers, unfold));
  parts.node.append(rangeOf(parts.numbers, heat) ?? '');
  if (!hooks.hidden?.size) parts.node.append(chartOf(entry, parts.numbers) ?? '');
  if (entry.before_mask !== undefined) parts.node.append(hooks.mask?.(parts) ?? '');
  return parts;
}

function isBatch(entry) {
  return entry.shape.length > 2 && entry.axes?.[0] === 'batch' && entry.shape[0] > 1;
}

// A button for the sentences of a batch after the first, and whether they are the same.
function otherSentences(entry, {exact}, unfold) {
  const others = entry.shape[0] - 1, size = exact.length / entry.shape[0];
  const same = exact.every((text, flat) => text === exact[flat % size]);
  const which = others === 1 ? 'the other sentence' : `the other ${others} sentences`;
  return el('p.others', {}, same ? `The same for ${which}. ` : '',
    button(`Show ${which}`, unfold, {class: 'others', title: 'In all tensors: f'}));
}

function blockOf(entry, hooks, heat, number, offset, parts) {
  const dims = entry.shape.length, outer = entry.shape.slice(0, Math.max(0, dims - 2));
  const columnCount = dims ? entry.shape[dims - 1] : 1, rowCount = dims > 1 ? entry.shape[dims - 2] : 1;
  const {texts, values} = parts.numbers, sums = entry.row_sums?.split(' ');
  const axis = dim => entry.axes?.[dim] ?? '';
  const changed = new Set(changedCells(entry));
  const at = (row, column) => offset + row * columnCount + column;
  return matrixTable({
    caption: count(outer) > 1
      ? [unseen(`${entry.name}, `), el('span.block', {}, blockLabel(entry, indexAt(outer, number)))]
      : unseen(`${entry.name}, ${shapeText(entry)}`),  // a long visible caption would make the table wide
    rowCount, columnCount, heat,
    corner: dims > 1 && axis(dims - 2) ? `${axis(dims - 2)} \\ ${axis(dims - 1)}` : '',
    columns: dims ? labelsOf(entry, dims - 1, hooks.tokens) : null,
    rows: dims > 1 ? labelsOf(entry, dims - 2, hooks.tokens) : null,
    cells: (row, column) => {
      const flat = at(row, column);
      return hooks.hidden?.has(flat) ? {text: '?', value: 0} : {text: texts[flat], value: values[flat]};
    },
    sums: sums && !hooks.sumsHidden ? sums.slice(offset / columnCount, offset / columnCount + rowCount) : null,
    decorate: (td, row, column) => {
      const flat = at(row, column);
      if (hooks.step) td.dataset.address = addressOf(hooks.step, entry.name, indexAt(entry.shape, flat));
      if (hooks.masked.has(flat)) markMasked(td);
      if (hooks.hidden?.has(flat)) td.classList.add('asked');
      else if (changed.has(flat)) markChanged(td, hooks.before?.[flat]);
    },
    open: hooks.open && ((row, column) => hooks.open(parts, at(row, column))),
    leave: (by, column) => hooks.leave(number, by, column),
    look: hooks.look && (row => hooks.look(number, row)),
  });
}

// Not only a colour: also a mark, an outline, and words for readers who see neither.
function markChanged(td, before) {
  td.classList.add('changed');
  td.append(el('span.mark', {'aria-hidden': 'true'}, '▲'), unseen(before ? ` changed, was ${before}` : ' changed'));
  if (before) td.title = `was ${before}`;
}

// The least and the largest number with the colours between them: the scale of the colours.
function rangeOf({texts, values}, heat) {
  let least = -1, largest = -1;
  values.forEach((value, flat) => {
    if (!Number.isFinite(value)) return;
    if (least < 0 || value < values[least]) least = flat;
    if (largest < 0 || value > values[largest]) largest = flat;
  });
  if (values.length < 4 || least === largest || !heat.share(values[largest])) return null;
  const hue = flat => values[flat] < 0 ? 'var(--negative)' : 'var(--positive)';
  const share = flat => `${(100 * heat.share(values[flat])).toFixed(1)}%`;
  return el('p.range', {'--from': hue(least), '--from-share': share(least), '--to': hue(largest),
    '--to-share': share(largest)}, el('span', {}, unseen('least '), texts[least]),
  el('i', {'aria-hidden': 'true', class: values[least] < 0 && values[largest] > 0 ? 'ramp both' : 'ramp'}),
  el('span', {}, unseen('to largest '), texts[largest]));
}

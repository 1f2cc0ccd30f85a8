// The cells of a tensor. The page stores each tensor's contents once: PyTorch's text of it, all digits if they say
// more, and the cells one by one if the text lacks them. They are parsed when first shown.
const WORDS = {inf: Infinity, '-inf': -Infinity, nan: NaN, True: true, False: false};

// Returns {text: PyTorch's repr, texts: what it prints for each cell, exact: with all digits, values: the numbers, for
// colours and comparisons}; null for a printed line without a tensor. A folded tensor has no cells.
function numbersOf(table, entry) {
  const stored = table[entry.numbers];
  if (!stored) return null;
  if (entry.folded) return {text: stored.text, texts: [], exact: [], values: []};
  if (!stored.parted) {
    const texts = stored.texts === undefined ? cellsIn(stored.text) : stored.texts.split(' ').filter(Boolean);
    const exact = stored.exact === undefined ? texts : stored.exact.split(' ');
    stored.parted = {text: stored.text, texts, exact, values: exact.map(numberOf)};
  }
  return stored.parted;
}

// tensor([[1., 2.]], grad_fn=...): the words between the brackets, or the one before a comma or the end.
function cellsIn(text) {
  const inside = text.slice(text.indexOf('(') + 1);
  const end = inside.startsWith('[') ? inside.lastIndexOf(']') : inside.search(/[,)]/);
  return inside.slice(0, end).split(/[[\], \n]+/).filter(Boolean);
}

function numberOf(text) {
  return text in WORDS ? WORDS[text] : Number(text);
}

// Returns the flat indices of the cells that the changed run made different.
function changedCells(entry) {
  if (entry.changed === true) return Array.from({length: count(entry.shape)}, (_, i) => i);
  return entry.changed ?? [];
}

// The cells of a tensor. The page has each tensor's contents once: PyTorch's text of it, all digits where these say
// more, and the cells one by one where the text does not. They are taken apart when somebody looks.
const WORDS = {inf: Infinity, '-inf': -Infinity, nan: NaN, True: true, False: false};

// {text: PyTorch's repr, texts: what it prints for each cell, exact: with all digits, values: the numbers, for colours
// and comparisons}; null: a line that was printed, without a tensor. What is folded has no cells.
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

// The flat indices of the cells that another run made different.
function changedCells(entry) {
  if (entry.changed === true) return Array.from({length: count(entry.shape)}, (_, i) => i);
  return entry.changed ?? [];
}

// The cells of a tensor. The page has each tensor's contents once, as texts with blanks between them; they are
// taken apart when somebody looks.
const WORDS = {inf: Infinity, '-inf': -Infinity, nan: NaN, True: true, False: false};

// {text: PyTorch's repr, texts: what it prints for each cell, values: the numbers, for colours and comparisons}
function numbersOf(table, entry) {
  const stored = table[entry.numbers];
  if (!stored) return null;
  if (!stored.parted && stored.texts !== undefined) {
    const texts = stored.texts.split(' ');
    const exact = stored.exact === undefined ? texts : stored.exact.split(' ');
    stored.parted = {texts, exact, values: exact.map(numberOf)};
  }
  return {text: stored.text, ...(stored.parted ?? {texts: [], exact: [], values: []})};
}

function numberOf(text) {
  return text in WORDS ? WORDS[text] : Number(text);
}

// The flat indices of the cells that another run made different.
function changedCells(entry) {
  if (entry.changed === true) return Array.from({length: count(entry.shape)}, (_, i) => i);
  return entry.changed ?? [];
}

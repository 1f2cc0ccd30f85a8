// The help: the keys, and the meaning of the marks.
const HELP_KEYS = [
  ['→ n Enter', 'next step'], ['← b', 'step back'], ['g', 'go to a step'], ['/', 'search'], ['G', 'last step'],
  ['Tab', 'to the numbers; then arrows move from cell to cell'], ['Enter i', 'open the number: its arithmetic'],
  ['Backspace', 'back to the number that was open before'], ['Esc', 'close what is open'],
  ['B', 'turn over: the gradient of this tensor or number, and back'], ['e', 'another number in its place'],
  ['E', 'to the code; arrows choose a line, Enter edits and runs it'],
  ['r', 'take the last change back'], ['p', 'a question about this step'], ['t', 'tensors as PyTorch prints them'],
  ['+ -', 'the number as a row times a column: one product more, one less; of a softmax, one stage'],
  ['Space', 'inside such a part: play and pause'],
  ['f', 'all sentences of a batch, or the first one'], ['w', 'the map: all tensors, and where you are; there + - 0 zoom, h leads back'], ['s', 'settings'], ['?', 'this help'],
];

// The list of keys, and the switch for one-letter keys.
function keysPart(keys) {
  const letters = el('input', {type: 'checkbox', id: 'letters', onchange: () => setLettersOff(!letters.checked)});
  letters.checked = !lettersOff;
  return [el('h3', {}, 'Keys'),
    el('dl.keys', {}, keys.map(([names, text]) => el('div', {},
      el('dt', {}, names.split(' ').map(key => el('kbd', {}, key))), el('dd', {}, text)))),
    el('p', {}, letters, el('label', {for: letters.id}, ' one-letter keys'))];
}

function helpOf() {
  const node = dialog('help', 'Help', keysPart(HELP_KEYS),
    el('h3', {}, 'Colours and marks'),
    el('ul.legend', {role: 'list'},
      el('li', {}, el('span.swatch.positive', {'aria-hidden': 'true'}),
        'more colour: farther from 0, within its tensor'),
      el('li', {}, el('span.swatch.negative', {'aria-hidden': 'true'}), 'the same, below 0: the number has a minus'),
      el('li', {}, el('span.swatch.masked', {'aria-hidden': 'true'}), 'masked: a score of -inf, or the weight 0 that comes of it'),
      el('li', {}, el('span.swatch.changed', {'aria-hidden': 'true'}, '▲'), 'changed by what you have set')),
    el('p', {}, 'Every number here was computed by glassgrad’s engine, as PyTorch computes it. ',
      'The address of a number, ',
      el('code', {}, '#STEP:TENSOR[i,j]'), ', stands in the browser’s address bar; the program’s commands ',
      el('code', {}, 'learn'), ' and ', el('code', {}, 'why'), ' take it too.'));
  return {node, open: () => node.showModal()};
}

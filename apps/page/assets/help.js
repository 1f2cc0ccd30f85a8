// The help: what a finger or a mouse can do, the meaning of the marks, the keys.
const HELP_TOUCH = [
  ['a number', 'opens its arithmetic; a number underlined there opens too'],
  ['a line of code', 'can be changed, and runs again'],
  ['‹ ›', 'one step back, one step on; the slider goes to any step, ☰ Steps lists them, Search finds them'],
  ['Backward', 'turns over: the gradients, and back'],
  ['Map', 'all tensors of the lesson, and where you are'],
  ['Predict', 'asks you before it shows a step'],
  ['Settings', 'other tokens, another seed, more heads'],
  ['As text', 'tensors as PyTorch prints them'],
];
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

// The list of keys, and the switch for one-letter keys; folded where there is only a touch screen.
function keysPart(keys) {
  const letters = el('input', {type: 'checkbox', id: 'letters', onchange: () => setLettersOff(!letters.checked)});
  letters.checked = !lettersOff;
  return el('details', {open: !matchMedia('(hover: none)').matches}, el('summary', {}, el('h3', {}, 'Keys')),
    meanings(keys.map(([names, text]) => [names.split(' ').map(key => el('kbd', {}, key)), text])),
    el('p', {}, letters, el('label', {for: letters.id}, ' one-letter keys')));
}
function meanings(rows) {
  return el('dl.keys', {}, rows.map(([name, text]) => el('div', {}, el('dt', {}, name), el('dd', {}, text))));
}

function helpOf() {
  const node = dialog('help', 'Help', el('h3', {}, 'Tap or click'), meanings(HELP_TOUCH),
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
      el('code', {}, 'learn'), ' and ', el('code', {}, 'why'), ' take it too.'), keysPart(HELP_KEYS));
  return {node, open: () => node.showModal()};
}

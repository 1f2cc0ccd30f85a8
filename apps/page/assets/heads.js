// All heads of a model at a glance, and one of them large: as lines between tokens, and as a table of numbers. The
// pages of inspect and of train share it.

// Returns a head's weights. head.rows has a text for each query, with blanks between the numbers; numbers missing at
// its end are 0.
function weightsOf(head, zero) {
  const rows = head.rows.map(row => row.split(' ').filter(text => text !== ''));
  const text = (query, key) => rows[query][key] ?? zero;
  const value = (query, key) => Number(text(query, key));
  return {text, value, values: query => rows.map((_, key) => value(query, key)), size: rows.length};
}

// The colours span 0 to 1 in every head, so that heads can be compared; the square root makes small weights visible.
const WEIGHT_HEAT = {share: weight => Number.isFinite(weight) ? Math.sqrt(Math.max(0, Math.min(1, weight))) : 0};

const MANY_HEADS = 32, LONG_TEXT = 12;  // above these numbers squares are smaller, and the table is below the lines
const headName = ({layer, head}) => `layer ${layer}, head ${head}`;

// Draws a head as a square with a pixel for each weight.
function drawHead(canvas, weights) {
  canvas.width = canvas.height = weights.size;
  const pen = canvas.getContext('2d');
  pen.fillStyle = getComputedStyle(canvas).color;
  for (let query = 0; query < weights.size; ++query) {
    for (let key = 0; key < weights.size; ++key) {
      pen.globalAlpha = WEIGHT_HEAT.share(weights.value(query, key));
      pen.fillRect(key, query, 1, 1);
    }
  }
}

// Calls redraw when colours may have changed: a canvas keeps the colours that it was drawn with.
function onThemeChange(redraw) {
  for (const media of ['(prefers-color-scheme: dark)', 'print']) matchMedia(media).addEventListener('change', redraw);
  new MutationObserver(redraw).observe(document.documentElement, {attributes: true, attributeFilter: ['data-theme']});
}

// data: tokens, zero (the text of a weight of 0), heads (layer, head, rows). onChoose is called when the reader chooses a
// head. The result has two parts, glance and large, in one node. show(heads) replaces the weights and keeps the reader's
// choices; mark(number) shows which head is switched off.
function headsView({tokens, zero, heads}, {chosen = 0, onChoose} = {}) {
  let weights = heads.map(head => weightsOf(head, zero));
  const canvases = heads.map(() => el('canvas', {'aria-hidden': 'true'}));
  const nameOf = head => `Layer ${head.layer}, head ${head.head}`;
  const buttons = heads.map((head, i) => el('button.head', {type: 'button', onclick: () => choose(i),
    'aria-label': nameOf(head), 'aria-pressed': 'false'}, canvases[i], el('span', {}, `head ${head.head}`)));
  const layers = [...new Set(heads.map(head => head.layer))];
  const glance = el(heads.length > MANY_HEADS ? 'div.glance.many' : 'div.glance', {}, layers.map(layer => el('div.layer', {role: 'group', 'aria-label': `Layer ${layer}`},
    el('span.layer-name', {}, `layer ${layer}`), el('div.row', {}, buttons.filter((_, i) => heads[i].layer === layer)))));
  const title = el('h3', {'aria-live': 'polite'});
  const between = betweenTokens(tokens);
  const table = el('div.numbers');
  const lines = el(tokens.length > LONG_TEXT ? 'div.large.long' : 'div.large', {}, between.node, table);
  const large = el('div.chosen', {}, title, lines);

  glance.addEventListener('keydown', event => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    const at = buttons.indexOf(event.target.closest('button'));
    if (!by || at < 0) return;
    buttons[(at + by + buttons.length) % buttons.length].focus();
    event.preventDefault();
  });

  function choose(number) {
    buttons[chosen].setAttribute('aria-pressed', 'false');
    chosen = number;
    buttons[chosen].setAttribute('aria-pressed', 'true');
    title.textContent = nameOf(heads[chosen]);
    between.show(weights[chosen]);
    table.replaceChildren(numbersOf(weights[chosen]));
    onChoose?.();
  }
  function mark(number) {
    buttons.forEach((node, i) => {
      node.classList.toggle('switched-off', i === number);
      node.setAttribute('aria-label', `${nameOf(heads[i])}${i === number ? ': off' : ''}`);
      node.lastChild.textContent = i === number ? 'off' : `head ${heads[i].head}`;
    });
  }
  function numbersOf(head) {
    return matrixTable({
      caption: `Attention weights, ${headName(heads[chosen])}`,
      corner: ['query', el('span.by', {}, ' \\ '), 'key'],
      rows: tokens, columns: tokens, rowCount: tokens.length, columnCount: tokens.length,
      heat: WEIGHT_HEAT,
      cells: (row, column) => ({text: head.text(row, column), value: head.value(row, column)}),
      decorate: (td, row, column) => {
        if (head.text(row, column) === zero && column > row) td.classList.add('future');
      },
      open: row => between.pin(row),
      hover: place => between.look(place ? place.row : null),
    }).node;
  }
  function draw() {
    canvases.forEach((canvas, i) => drawHead(canvas, weights[i]));
  }
  function show(next) {
    weights = next.map(head => weightsOf(head, zero));
    draw();
    choose(chosen);
  }
  onThemeChange(draw);
  // A canvas gets its colour from the style sheet only after it is in the page.
  requestAnimationFrame(draw);
  choose(chosen);
  return {node: el('div.heads', {}, glance, large), glance, large, show, choose, mark, get chosen() { return chosen; }};
}

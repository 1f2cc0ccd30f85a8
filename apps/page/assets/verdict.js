// The engine's verdict on an answer. said: a screen reader reads it out at once; shown: the rest, below it.
const VERDICT_MARKS = {right: '✓', wrong: '✗', failed: '!', stopped: '■', empty: '…'};

const wordsOf = words => marked(words).map(({kind, text}) => withMark(kind, text));

function verdictView(verdict, whatNext) {
  const {kind, mistake, hint} = verdict;
  const sentence = kind === 'right' ? `Right. ${verdict.agreed}` : verdict.sentence;
  return {
    said: [
      el('p.sentence', {}, el('span.sign', {'aria-hidden': 'true'}, VERDICT_MARKS[kind]), el('strong', {}, sentence)),
      hint && el('p', {}, wordsOf(hint)),
      mistake && el('p.mistake', {}, wordsOf(mistake)),
      kind === 'right' && whatNext && el('p', {}, whatNext),
    ].filter(Boolean),
    shown: [
      kind === 'failed' && verdict.own_line && placeOfError(verdict),
      verdict.yours && comparedMatrices(verdict),
      verdict.printed && el('div', {}, el('p.off', {}, 'It printed:'),
        el('pre.code', {tabindex: 0, role: 'group', 'aria-label': 'What it printed'}, verdict.printed)),
    ].filter(Boolean),
  };
}

// The line of the error, with the word that it stopped at marked.
function placeOfError({own_line: line, column}) {
  const at = column ? column - 1 : line.length, [word] = /^(?:\w+|.)?/.exec(line.slice(at));
  return el('pre.code.own-line', {tabindex: 0, role: 'group', 'aria-label': 'The line'}, el('code', {},
    el('span.code-line', {'--margin': marginOf(line)}, line.slice(0, at), word && el('mark', {}, word), line.slice(at + word.length))));
}

function comparedMatrices({expected, yours}) {
  const marked = expected.differs.some(row => row.includes(true));
  const pair = [comparedMatrix('right', expected), comparedMatrix('yours', yours)];
  if (expected.shape === yours.shape)  // the same columns stay in sight
    pair.forEach((one, k) => one.addEventListener('scroll', () => { pair[1 - k].scrollLeft = one.scrollLeft; }));
  return el('div', {}, el('div.compared', {}, pair),
    marked && el('p.off', {}, el('b', {}, '~'), ' and a frame: this number differs'));
}

// Rows and columns have numbers only if the first of them is shown.
function comparedMatrix(name, {shape, place, rows, differs}) {
  const isCut = row => row.length === 1 && row[0] === '...';
  const counted = rows.length > 0 && !isCut(rows[0]) && rows[0][0] !== '...' && shape !== '()';
  const width = Math.max(0, ...rows.map(row => row.length));
  const twoDims = shape.includes(', ');
  const head = counted && el('thead', {}, el('tr', {}, twoDims && el('td'), rows[0].map((text, j) =>
    el('th', {scope: 'col'}, text === '...' ? '' : j))));
  const body = rows.map((row, i) => el('tr', {}, counted && twoDims && el('th', {scope: 'row'}, isCut(row) ? '' : i),
    isCut(row) ? el('td', {colspan: width}, '...') : row.map((text, j) => differs[i][j]
      ? el('td.differs', {}, el('span', {'aria-hidden': 'true'}, '~'), text, unseen(' differs')) : el('td', {}, text))));
  const caption = el('caption', {}, el('span.name', {}, name), el('span.shape', {}, shape),
    place && el('span.shape', {}, `matrix ${place}`));
  return el('div.scroll', {tabindex: 0, role: 'group', 'aria-label': `${name}, ${shape}`},
    el('table', {}, caption, head, el('tbody', {}, body)));
}

// The PyTorch lines of a step, block by block: who wrote them, inside which call they are, how they ended. A line can
// be edited in place: the engine runs the lesson again with it.

// edits: refused() returns whether editing is off, and says why; run(number, text, place) runs the lesson with a new
// text for that line of its file, shows the progress in `place` and returns an error text. null: no line can be chosen.
function codeOf(lesson, step, edits) {
  if (!step.code?.length) return null;
  const blocks = step.blocks?.length ? step.blocks : [{first: 0, count: step.code.length, whose: 'source'}];
  return blocks.map(block => [
    el('div.code-block', {}, captionOfBlock(lesson, blocks, block), codeBlock(step, block, edits),
      wholeOf(lesson, step, block)),
    block.raised && el('p.raised', {}, el('span.unseen', {}, 'It ends with '), el('code', {}, block.raised)),
  ]);
}

// Returns a caption for a block that is inside a call or wrong, or, in a lesson that follows a source, not the
// source's; null if no caption is needed.
function captionOfBlock(lesson, blocks, {whose, inside, mistake}) {
  const follows = lesson.data.lesson.follows_source, ours = follows && whose === 'ours';
  const words = inside ? [ours ? 'added by us, ' : '', 'inside ', el('code', {}, inside)]
    : mistake ? [`wrong: ${mistake}`] : ours ? ['added by us']
      : follows && blocks.some(other => other.whose === 'ours') ? ['the source’s code']
        : blocks.some(other => other.inside) ? ['the program'] : null;
  return words && el('p.whose', {}, words);
}

// Returns which line of the lesson's file line k of a block is; 0 if it is none.
function placeOfLine({line, stands, inside}, k) {
  return inside ? stands?.[k] ?? 0 : line ? line + k : 0;
}

function codeBlock(step, block, edits) {
  const was = new Map(block.edited ?? []);
  const lines = step.code.slice(block.first, block.first + block.count).flatMap((text, k) => {
    const canEdit = edits && placeOfLine(block, k) && text.trim();
    const node = codeLine(text, {was: was.get(k), ours: block.our_prints?.includes(k)});
    if (canEdit) editable(node, block.line + k, block.first + k + 1, text, edits);
    return [node, was.has(k) && lineBefore(was.get(k), text, block.mistake ? 'right' : 'was')];
  });
  return el('pre.code', {tabindex: 0, role: 'group', 'aria-label': 'In PyTorch'}, el('code', {}, lines));
}

const marginOf = text => text.length - text.trimStart().length;

// Comments are muted. A line that is too long for the page continues in the next line, indented more. was: the text of
// an edited line before the edit; ours: whether the line is a print that the lesson adds.
function codeLine(text, {was, ours} = {}) {
  const edited = was !== undefined;
  const pieces = edited ? changedText(was, text, 'gone')
    : partsOf(text).map(part => ({part, state: 'same'}));
  let left = text.length - (/(^|\s)#.*$/.exec(text)?.[0].length ?? 0);  // characters before the comment
  const nodes = pieces.map(({part, state}) => {
    const inside = left > 0 ? breakableCode(part) : el('span.comment', {}, part);
    left -= part.length;
    return state === 'new' ? el('ins', {}, inside) : inside;
  });
  return el(edited ? 'span.code-line.edited' : 'span.code-line', {'--margin': marginOf(text)},
    begun([edited && [el('span.mark', {'aria-hidden': 'true'}, '▲'), unseen('changed: ')],
      nodes.splice(0, marginOf(text) ? 2 : 1)]), nodes,
    ours && el('span.our-print', {}, 'our print'), '\n');
}

// Shows, below an edited line, the text that it had before.
function lineBefore(was, now, word) {
  const pieces = changedText(was.trim(), now.trim(), 'new');
  return el('span.was', {'--margin': marginOf(now)}, begun(`${' '.repeat(marginOf(now))}${word}: `),
    pieces.map(({part, state}) => state === 'gone' ? el('del', {}, breakableCode(part)) : breakableCode(part)), '\n');
}

// No line breaks between its margin and its first word; it may break within a call.
const begun = nodes => el('span.begun', {}, nodes);
const breakableCode = text => text.split(/(?<=\()/).map((part, i) => [i > 0 && el('wbr'), part]);

// A click or Enter replaces the line with a text field. number: the line in the lesson's file; place: the line in the
// step's code.
function editable(node, number, place, text, edits) {
  node.tabIndex = -1;
  node.dataset.line = number;
  node.setAttribute('role', 'button');
  node.title = `Edit line ${place} (E)`;
  node.addEventListener('click', () => {
    if (String(getSelection()) === '') open();
  });
  node.addEventListener('keydown', event => {
    const all = [...document.querySelectorAll('.stage .code-line[role=button]')], at = all.indexOf(node);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1}[event.key];
    if (event.key === 'Enter') open();
    else if (to === undefined) return;
    else all[to]?.focus();
    event.preventDefault();
    event.stopPropagation();
  });

  function open() {
    if (edits.refused()) return;
    const input = el('input', {type: 'text', value: text, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false',
      'aria-label': `Line ${place}`});
    const note = el('span.note.problem', {role: 'status'}), running = el('div.running');
    const run = async () => {
      note.textContent = '';
      note.textContent = await edits.run(number, input.value, running);
    };
    const form = fieldsOf('div.line-edit', run, input, button('Run', run), button('Never mind', close), running, note);
    form.addEventListener('keydown', event => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      const stop = running.querySelector('button');
      if (stop) stop.click();
      else close();
    });
    node.replaceWith(form);
    input.focus();
    function close() {
      form.replaceWith(node);
      node.focus();
    }
  }
}

// Shows the whole class or function that the lines of a call are part of, with these lines marked.
function wholeOf(lesson, step, block) {
  const places = (block.stands ?? []).filter(Boolean);
  if (!places.length) return null;
  for (const other of lesson.data.forward) {
    for (const one of other.blocks ?? []) {
      if (one.inside || !one.line || places[0] < one.line || places[0] >= one.line + one.count) continue;
      const code = other.code.slice(one.first, one.first + one.count);
      const goesOn = line => /^($|[ )])/.test(line ?? 'x');
      let first = places[0] - one.line, end = first + 1;
      while (first > 0 && goesOn(code[first])) --first;
      while (end < code.length && goesOn(code[end])) ++end;
      while (code[end - 1] === '') --end;
      const marked = new Set(places.map(place => place - one.line));
      return el('details.whole', {},
        el('summary', {}, el('code', {}, code[first].replace(/^(class|def) |[(:].*$/g, '')), ' whole, with these lines marked'),
        el('p', {}, 'As in ', el('a', {href: hashOf(other.id)}, `step ${other.place}, ${other.title}`), '.'),
        el('pre.code', {tabindex: 0, role: 'group', 'aria-label': 'The whole class'}, el('code', {},
          code.slice(first, end).map((line, k) => marked.has(first + k) ? el('mark', {}, codeLine(line)) : codeLine(line)))));
    }
  }
  return null;
}

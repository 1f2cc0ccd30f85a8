// The PyTorch lines of a step, block by block: whose they are, in which call they stand, how they ended. A line can be
// edited in place: the engine runs the lesson again with it.

// edits: refused() says why no line can be edited, if so; run(number, text, place) runs the lesson with that line of its
// file and gives what is wrong with it; place shows how far it is. null: no line can be chosen.
function codeOf(lesson, step, edits) {
  if (!step.code?.length) return null;
  const blocks = step.blocks?.length ? step.blocks : [{first: 0, count: step.code.length, whose: 'source'}];
  return blocks.map(block => [
    el('div.code-block', {}, captionOfBlock(lesson, blocks, block), codeBlock(step, block, edits),
      wholeOf(lesson, step, block)),
    block.raised && el('p.raised', {}, el('span.unseen', {}, 'It ends with '), el('code', {}, block.raised)),
  ]);
}

// What a block is beside the lesson's program; in a lesson that follows a source, what is not the source's.
function captionOfBlock(lesson, blocks, {whose, inside, mistake}) {
  const follows = lesson.data.lesson.follows_source, ours = follows && whose === 'ours';
  const words = inside ? [ours ? 'added by us, ' : '', 'inside ', el('code', {}, inside)]
    : mistake ? [`wrong: ${mistake}`] : ours ? ['added by us']
      : follows && blocks.some(other => other.whose === 'ours') ? ['the source’s code']
        : blocks.some(other => other.inside) ? ['the program'] : null;
  return words && el('p.whose', {}, words);
}

// Where line k of a block is as a part of the lesson's program; 0: nowhere.
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

// Comments are set back. A line that is too long for the page goes on in the next one, deeper than it begins.
// was: the text that an edited line had before; ours: whether the line is a print that the lesson adds.
function codeLine(text, {was, ours} = {}) {
  const edited = was !== undefined;
  const pieces = edited ? changedText(was, text, 'gone')
    : partsOf(text).map(part => ({part, state: 'same'}));
  let left = text.length - (/(^|\s)#.*$/.exec(text)?.[0].length ?? 0);  // of what stands before the comment
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

// Between its margin and its first word no line ends; within a call it may.
const begun = nodes => el('span.begun', {}, nodes);
const breakableCode = text => text.split(/(?<=\()/).map((part, i) => [i > 0 && el('wbr'), part]);

// A click, or Enter, puts a field in the line's place. number: of the lesson's file; place: in the step's code.
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

// The class or function that lines of a call are a part of, whole, with these lines marked.
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

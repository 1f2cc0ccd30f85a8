// The PyTorch lines of a step, block by block: whose they are, in which call they stand, how they ended. A line can be
// edited in place: the engine runs the lesson again with it.

// edits: refused() says why no line can be edited, if so; run(number, text, note) runs the lesson with that line of its
// file, and note(text, end) hears how far it is. null: no line can be chosen.
function codeOf(lesson, step, edits) {
  if (!step.code?.length) return null;
  const blocks = step.blocks?.length ? step.blocks : [{first: 0, count: step.code.length, whose: 'source'}];
  return blocks.map(block => [
    el('div.code-block', {}, captionOfBlock(blocks, block), codeBlock(step, block, edits),
      wholeOf(lesson, step, block)),
    block.raised && el('p.raised', {}, el('span.unseen', {}, 'It ends with '), el('code', {}, block.raised)),
  ]);
}

// Whose a block is, where a step has several kinds.
function captionOfBlock(blocks, {whose, inside, mistake}) {
  const ours = whose === 'ours';
  const words = inside ? [ours ? 'added by us, ' : '', 'inside ', el('code', {}, inside)]
    : mistake ? [`wrong: ${mistake}`] : ours ? ['added by us']
      : blocks.some(other => other.whose === 'ours') ? ['the source’s code']
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
    const node = codeLine(text, was.has(k), block.our_prints?.includes(k));
    if (canEdit) editable(node, block.line + k, text, edits);
    const margin = ' '.repeat(text.length - text.trimStart().length);
    const before = `${margin}${block.mistake ? 'right' : 'was'}: ${was.get(k)?.trim()}\n`;
    return [node, was.has(k) && el('span.was', {}, before)];
  });
  return el('pre.code', {tabindex: 0, role: 'group', 'aria-label': 'In PyTorch'}, el('code', {}, lines));
}

// Comments are set back.
function codeLine(text, edited, ours) {
  const comment = /(^|\s)#.*$/.exec(text);
  return el(edited ? 'span.code-line.edited' : 'span.code-line', {},
    edited && [el('span.mark', {'aria-hidden': 'true'}, '▲'), unseen('changed: ')],
    comment ? text.slice(0, comment.index) : text, comment && el('span.comment', {}, comment[0]),
    ours && el('span.our-print', {}, 'our print'), '\n');
}

// A click, or Enter, puts a field in the line's place.
function editable(node, number, text, edits) {
  node.tabIndex = -1;
  node.dataset.line = number;
  node.setAttribute('role', 'button');
  node.title = `Edit line ${number} (E)`;
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
      'aria-label': `Line ${number}`});
    const note = el('span.note', {role: 'status'});
    const form = el('form.line-edit', {onsubmit: event => {
      event.preventDefault();
      note.className = 'note';
      edits.run(number, input.value, (words, end) => {
        note.className = end ? 'note' : 'note problem';
        note.replaceChildren(words, end ? ' ' : '', end ? button('Stop', () => end('Stopped: nothing has changed.')) : '');
      });
    }}, input, el('button', {type: 'submit'}, 'Run'), button('Never mind', close), note);
    form.addEventListener('keydown', event => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      const stop = note.querySelector('button');
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
        el('p', {}, 'As in ', el('a', {href: hashOf(other.id)}, `step ${other.number}, ${other.title}`), '.'),
        el('pre.code', {tabindex: 0, role: 'group', 'aria-label': 'The whole class'}, el('code', {},
          code.slice(first, end).map((line, k) => el(marked.has(first + k) ? 'mark.code-line' : 'span.code-line', {}, `${line}\n`)))));
    }
  }
  return null;
}

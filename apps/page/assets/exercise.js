// One exercise: its task, the program with the learner's lines in it, and the engine's verdict.
const SECONDS_OF_CHECK = 10;

function exerciseView(page, exercise) {
  const {data, lines} = page, {id} = exercise, number = data.exercises.indexOf(exercise) + 1;
  const before = [];  // texts of this blank, for undo
  let hints = 0, trial = null, seen = null;  // seen: the text that the verdict is about

  const editor = linesEditor(exercise, lines.text(id), {
    changed(text) {
      lines.write(id, text);
      page.progress();
      box.classList.toggle('stale', seen !== null && text !== seen);
    },
    check: () => lines.isSolved(id) ? page.goOn() : check(),
    leave: () => stop() || page.focusHeading(),
  });
  const said = el('div.outcome', {role: 'status', 'aria-live': 'polite'}), shown = el('div.shown');
  const box = el('section.verdict', {'aria-label': 'What your lines do'}, said, shown);
  const hintList = el('ol.hints', {role: 'list', 'aria-live': 'polite'}), solution = el('div.solution', {'aria-live': 'polite'});
  const buttons = {
    check: button('Check', check, {class: 'primary', title: 'Check (Ctrl-Enter)'}),
    hint: button('', hint, {title: 'One more hint (h)'}),
    solution: button('Solution', showSolution, {title: 'One solution (s)'}),
    undo: button('Undo', undo, {title: 'The lines before (u)'}),
    reset: button('Reset', reset, {title: 'Empty the blank (r)'}),
  };
  const heading = el('h2', {id: 'step-title', tabindex: -1}, exercise.title);
  const node = el('article.exercise', {'aria-labelledby': 'step-title'},
    el('header', {}, el('p.place', {}, `Exercise ${number} of ${data.exercises.length}`), heading),
    exercise.prose.map(words => el('p.prose', {}, wordsOf(words))),
    givenView(exercise.given),
    editor.node, el('div.actions', {}, Object.values(buttons)), page.off, box, hintList, solution);
  renew();
  if (lines.isSolved(id)) say([el('p', {}, 'Solved. ', page.whatNext())]);

  function renew() {
    buttons.undo.disabled = before.length === 0;
    buttons.hint.disabled = hints === exercise.hints.length;
    buttons.hint.textContent = hints ? `Hint ${Math.min(hints + 1, exercise.hints.length)} of ${exercise.hints.length}` : 'Hint';
    buttons.check.disabled = !page.canCheck;
  }
  function say(nodes, below = [], kind = '') {
    said.replaceChildren(...nodes);
    shown.replaceChildren(...below);
    box.className = `verdict ${kind}`;
    if (!kind) seen = null;
  }

  function keep(text) {
    if (before.at(-1) !== text && text.trim()) before.push(text);
    renew();
  }
  function put(text) {
    editor.put(text);
    say([]);
    renew();
  }

  async function check() {
    if (!page.canCheck || trial) return;
    const text = editor.text();
    trial = engine.run({seconds: SECONDS_OF_CHECK}, 'check', id, text, data.seed);
    say([el('p', {}, page.isReady ? 'Checking … ' : 'The engine is starting, then it checks your lines … ', button('Stop', stop, {title: 'Stop (Esc)'}))]);
    let verdict;
    try {
      verdict = await trial.done;
    } catch ({message}) {
      verdict = {kind: 'stopped', sentence: message[0].toUpperCase() + message.slice(1)};
    }
    trial = null;
    if (verdict.kind === 'right') lines.isRight(id, text);
    if (before.at(-1) !== text) keep(text);
    page.progress();
    const view = verdictView(verdict, page.whatNext());
    say(view.said, view.shown, verdict.kind);
    seen = text;
    box.classList.toggle('stale', editor.text() !== seen);
    if (box.getBoundingClientRect().top > window.innerHeight - 160) box.scrollIntoView({block: 'center'});
  }
  function stop() {
    if (!trial) return false;
    trial.end('Stopped, as you wished.');
    return true;
  }
  function hint() {
    if (hints === exercise.hints.length) return;
    hintList.append(el('li', {}, el('b', {}, `Hint ${hints + 1}: `), wordsOf(exercise.hints[hints++])));
    renew();
  }
  function showSolution() {
    solution.replaceChildren(el('p', {}, 'One solution:'), el('pre.code', {tabindex: 0, role: 'group', 'aria-label': 'One solution'},
      el('code', {}, exercise.solution.map(line => codeLine(line)))));
  }
  function undo() {
    let text = before.pop();
    if (text === editor.text()) text = before.pop();
    if (text !== undefined) put(text);
    else if (editor.text()) put('');
    renew();
  }
  function reset() {
    keep(editor.text());
    put('');
    hints = 0;
    hintList.replaceChildren();
    solution.replaceChildren();
    renew();
  }

  return {node, heading, check, hint, showSolution, undo, reset, renew, edit: () => editor.focus(), leave: () => stop()};
}

// The values that the lines can use, and the tensors' numbers: visible at once if they are few.
function givenView(given) {
  const MOST_LINES = 12;
  const tensors = given.filter(({values}) => values);
  const lines = tensors.reduce((sum, {values}) => sum + values.split('\n').length, 0);
  return [given.length ? el('p.given', {}, 'You have: ', given.map(({text}, k) => [k ? ', ' : '', el('code', {}, text)]), '.') : null,
    tensors.length ? el('details.given-values', {open: lines <= MOST_LINES}, el('summary', {}, 'Their numbers'),
      el('div', {}, tensors.map(({text, values}) => el('figure', {}, el('figcaption', {}, el('code', {}, text)),
        el('pre.code', {tabindex: 0, role: 'group', 'aria-label': text}, values))))) : null];
}

// The block with a text field in its blank, as tall as its text. Tab leaves it; Enter keeps the margin.
function linesEditor(exercise, text, {changed, check, leave}) {
  const least = Math.min(8, exercise.solution.length);  // a blank of a whole page grows while the learner writes
  const input = el('textarea', {'aria-label': 'Your lines', 'aria-describedby': 'editor-keys', rows: least, spellcheck: 'false',
    autocomplete: 'off', autocapitalize: 'off', autocorrect: 'off', placeholder: 'write here'});
  const fit = () => {
    input.rows = Math.max(least, input.value.split('\n').length);
    input.style.height = '';
    if (input.scrollHeight > input.clientHeight) input.style.height = `${input.scrollHeight + input.offsetHeight - input.clientHeight}px`;
  };
  new ResizeObserver(fit).observe(input);  // a narrower page breaks lines
  input.value = text;
  fit();
  input.addEventListener('input', () => {
    if (input.value.includes('\t')) input.value = input.value.replaceAll('\t', '    ');
    fit();
    changed(input.value);
  });
  input.addEventListener('keydown', event => {
    if (event.key === 'Escape') leave();
    else if (event.key !== 'Enter' || event.shiftKey || event.altKey || event.isComposing) return;
    else if (event.ctrlKey || event.metaKey) check();
    else {
      const line = input.value.slice(0, input.selectionStart).split('\n').at(-1);
      const margin = /^ */.exec(line)[0] + (/:\s*$/.test(line) ? '    ' : '');
      if (!margin) return;
      document.execCommand('insertText', false, `\n${margin}`);  // so that the browser's own undo knows it
    }
    event.preventDefault();
    event.stopPropagation();
  });
  const part = lines => lines.length ? el('pre', {}, el('code', {}, lines.map(line => codeLine(line)))) : null;
  return {
    node: el('div.editor', {}, el('div.code.blank', {role: 'group', 'aria-label': 'The program, with your lines in it'},
      el('div', {}, part(exercise.before), el('div.field', {'--indent': exercise.indent}, input), part(exercise.after))),
    el('p.off', {id: 'editor-keys'}, el('kbd', {}, 'Ctrl'), ' ', el('kbd', {}, 'Enter'), ' checks, ', el('kbd', {}, 'Tab'), ' leaves the field.')),
    text: () => input.value,
    put(next) {
      input.value = next;
      fit();
      changed(next);
    },
    focus: () => input.focus(),
  };
}

// After all exercises: the whole program runs, with the learner's lines where they are right.
function endingView(page) {
  const {data, lines} = page, SECONDS = 120;
  let trial = null;
  const said = el('div.outcome', {role: 'status', 'aria-live': 'polite'}), shown = el('div.shown');
  const runButton = button('Run', run, {class: 'primary'});
  const heading = el('h2', {id: 'step-title', tabindex: -1}, data.ending.title);
  const open = data.exercises.length - lines.solved();
  const node = el('article.exercise', {'aria-labelledby': 'step-title'},
    el('header', {}, el('p.place', {}, 'The whole program'), heading),
    data.ending.prose.map(words => el('p.prose', {}, wordsOf(words))),
    open ? el('p.given', {}, `${open} of ${data.exercises.length} exercises are not solved yet; there the course’s own lines run.`) : null,
    el('div.actions', {}, runButton), page.off, el('section.verdict', {'aria-label': 'What it prints'}, said, shown));
  const renew = () => { runButton.disabled = !page.canCheck || trial !== null; };
  renew();

  async function run() {
    if (!page.canCheck || trial) return;
    trial = engine.run({seconds: SECONDS}, 'ending', lines.rough());
    renew();
    said.replaceChildren(el('p', {}, page.isReady ? 'It runs … ' : 'The engine is starting, then it runs … ', button('Stop', leave)));
    shown.replaceChildren();
    try {
      const {printed} = await trial.done;
      said.replaceChildren(el('p', {}, 'It printed:'));
      shown.replaceChildren(el('pre.code', {tabindex: 0, role: 'group', 'aria-label': 'What it printed'}, printed));
    } catch ({message}) {
      said.replaceChildren(el('p', {}, el('strong', {}, message)));
    }
    trial = null;
    renew();
  }
  function leave() {
    trial?.end('Stopped, as you wished.');
    return trial !== null;
  }
  return {node, heading, check: run, edit: () => runButton.focus(), renew, leave, hint() {}, showSolution() {}, undo() {}, reset() {}};
}

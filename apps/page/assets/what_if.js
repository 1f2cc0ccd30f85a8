// What if this number were another one, or this line? The engine in the page runs the lesson again with it.
const MOST_SECONDS = 10;  // that a line may take

function whatIfOf(page) {
  const banner = el('section.what-if', {'aria-label': 'What if', hidden: true});

  // Runs something that gives the lesson anew; a mistake of the reader's comes back as a sentence.
  function run(name, ...args) {
    try {
      page.adopt(page.engine.call(name, ...args));
      return '';
    } catch (error) {
      return error.message;
    }
  }

  // The form in the panel of an opened number.
  function editorFor(cell) {
    if (page.lesson.side === 'backward') return null;
    if (!page.engine.isOn) return el('p.off', {}, `Editing is off in this page: ${page.engine.why}`);
    const input = el('input', {type: 'text', name: 'value', inputmode: 'text', autocomplete: 'off', size: 10,
      spellcheck: 'false', 'aria-label': `${cell.name ?? cell.address} =`, placeholder: cell.value?.trim()});
    const problem = el('p.problem', {role: 'alert'});
    const form = el('form.edit', {onsubmit: event => {
      event.preventDefault();
      if (input.value.trim() === '') return input.focus();
      problem.textContent = set(cell.address, input.value.trim());
    }}, el('label', {}, 'What if it were ', input), el('button', {type: 'submit'}, 'Set'), problem);
    return form;
  }

  function set(address, value) {
    return run('set', `${address}=${value}`);
  }

  // A line of the lesson's file with another text. A Worker tries it first: what never ends, or takes all memory, ends
  // there.
  let trial = null;
  async function editLine(number, text, note) {
    trial?.end('Another line was run instead.');
    const mine = trial = engine.trial(MOST_SECONDS, 'edit', number, text);
    note('Running …', mine.end);
    try {
      await mine.done;
      const error = mine.isCurrent() ? run('edit', number, text) : 'The lesson has changed meanwhile: run it again.';
      if (error) note(error);
      else page.stage.querySelector(`.code-line[data-line="${number}"]`)?.focus({preventScroll: true});
    } catch (error) {
      note(error.message);
    } finally {
      if (trial === mine) trial = null;
    }
  }

  const edits = {
    run: editLine,
    refused() {
      if (!page.engine.isOn) page.say(`Editing is off in this page: ${page.engine.why}`);
      return !page.engine.isOn;
    },
  };

  function takeBack() {
    if (!page.engine.isOn) page.say(`Editing is off in this page: ${page.engine.why}`);
    else if (!page.lesson.isChanged) page.say('Nothing is set.');
    else page.say(run('take_back') || (page.lesson.isChanged ? summary() : 'Taken back: the lesson is as it was.'));
  }

  const summary = () => page.lesson.data.differences.sentences.join(' ');

  // Every number of the lesson as it is recomputed; said once it is there.
  function renew() {
    const changes = page.lesson.data.differences;
    banner.hidden = !changes;
    if (!changes) return;
    const {largest} = changes;
    banner.replaceChildren(
      el('p', {}, el('strong', {}, 'What if: '), changes.set.join(', ').replaceAll('->', '→'), '. ',
        changes.first_step ? ['The first step that changes is ',
          linkTo(page, changes.first_step, titleOf(changes.first_step)), '. '] : '',
        largest ? ['Largest change: ', linkTo(page, largest.cell), ` ${largest.before} → ${largest.now}.`]
          : 'Nothing else changes.'),
      button('Take back (r)', takeBack));
  }
  function titleOf(id) {
    const place = page.lesson.find(id);
    if (!place) return id;
    const step = page.lesson.lists[place.side][place.at];
    return `${step.number}, ${step.title}`;
  }

  function focusEditor() {
    document.querySelector('.cell-panel .edit input')?.focus({preventScroll: true});
  }

  return {node: banner, editorFor, edits, takeBack, renew, summary, focusEditor};
}

// A different number, or a different line of code: the engine in the page runs the lesson again with it.
const MOST_SECONDS = 10;  // time limit of an edited line

function whatIfOf(page) {
  const banner = el('section.what-if', {'aria-label': 'What if', hidden: true});

  // Runs a call that returns the lesson again. Returns the sentence of an error, or ''. place: shows the progress.
  async function run(place, how, name, ...args) {
    try {
      await page.adopt(await page.engine.ask(place, {total: page.engine.run, ...how}, name, ...args));
      return '';
    } catch (error) {
      return inStepsWords(page.lesson, error.message);
    }
  }

  // The form in the panel of an opened number.
  function editorFor(cell) {
    if (page.lesson.side === 'backward') return null;
    if (!page.engine.isOn) return el('p.off', {}, `Editing is off in this page: ${page.engine.why}`);
    const input = el('input', {type: 'text', name: 'value', inputmode: 'text', autocomplete: 'off', size: 10,
      spellcheck: 'false', 'aria-label': `${cell.name ?? cell.address} =`, placeholder: cell.value?.trim()});
    const problem = el('p.problem', {role: 'alert'}), place = el('div.running');
    const set = async () => {
      if (input.value.trim() === '') return input.focus();
      problem.textContent = '';
      problem.textContent = await run(place, {}, 'set', `${cell.address}=${input.value.trim()}`);
    };
    return fieldsOf('div.edit', set, el('label', {}, 'What if it were ', input), button('Set', set), place, problem);
  }

  // Replaces a line of the lesson's file with a different text. `place` shows the progress. Returns the sentence of an
  // error, or ''.
  async function editLine(number, text, place) {
    const seconds = page.recorded.heavy ? 0 : MOST_SECONDS;
    const error = await run(place, {words: 'Running', seconds}, 'edit', number, text);
    if (!error) page.stage.querySelector(`.code-line[data-line="${number}"]`)?.focus({preventScroll: true});
    return error;
  }

  const edits = {
    run: editLine,
    refused() {
      if (!page.engine.isOn) page.say(`Editing is off in this page: ${page.engine.why}`);
      return !page.engine.isOn;
    },
  };

  async function takeBack() {
    if (!page.engine.isOn) return page.say(`Editing is off in this page: ${page.engine.why}`);
    if (!page.lesson.isChanged) return page.say('Nothing is set.');
    const problem = await run(page.busy, {}, 'take_back');
    return page.say(problem || (page.lesson.isChanged ? summary() : 'Taken back: the lesson is as it was.'));
  }

  const summary = () => page.lesson.data.differences.sentences.map(text => inStepsWords(page.lesson, text)).join(' ');

  // Shows in the banner what the change did.
  function renew() {
    const changes = page.lesson.data.differences;
    banner.hidden = !changes;
    if (!changes) return;
    const {largest} = changes;
    banner.replaceChildren(
      el('p', {}, el('strong', {}, 'What if: '), changes.set.map(text => inStepsWords(page.lesson, text)).join(', ').replaceAll('->', '→'), '. ',
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
    return `${step.place}, ${step.title}`;
  }

  function focusEditor() {
    document.querySelector('.cell-panel .edit input')?.focus({preventScroll: true});
  }

  return {node: banner, editorFor, edits, takeBack, renew, summary, focusEditor};
}

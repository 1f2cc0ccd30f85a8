// Predict: a number is asked for before it is shown. The engine judges the answer; without it the page knows the
// texts that are right, and those that a common slip ends at.
const MOST_TRIES = 2;

function predictOf(page) {
  const done = new Set();
  let mode = remembered('predict') === 'yes', open = null;

  function questionsOf(step) {
    const {data} = page.lesson;
    // Of a changed run the answers are others.
    if (data !== page.recorded && !data.asked && page.engine.isOn) data.asked = page.engine.call('questions');
    return (data.asked ?? data.questions ?? []).filter(question => question.step === step.id);
  }
  function nextFor(step, onArrival) {
    const left = questionsOf(step).filter(question => !done.has(question.question));
    return left.find(question => question.ways.includes('first')) ?? (onArrival ? null : left[0]) ?? null;
  }

  function judge(question, answer, tries) {
    if (page.engine.isOn) return page.engine.call('judge', question.question, answer, tries);
    const typed = answer.trim();
    if (typed && question.accepted.includes(typed))
      return {right: true, over: true, text: `Right: ${question.answer}.`};
    const slip = question.slips.find(one => one.answers.includes(typed))?.text ?? '';
    if (typed && tries + 1 < MOST_TRIES) return {right: false, over: false, text: `Not yet. ${slip}`.trim()};
    return {right: false, over: true, text: `${slip} It is ${question.answer}.`.trim()};
  }

  // Instead of the step: what the answer is computed from, and the tensor with the answer left out.
  function view(question) {
    const {lesson} = page, step = lesson.step;
    const figures = question.given.map(address => lesson.tensorAt(parseAddress(address))).filter(Boolean)
      .map(found => tensorFigure(found.entry, found.numbers, {tokens: lesson.tokens}));
    const asked = step.entries.find(entry => entry.name === question.tensor);
    let reveal = () => {};
    if (asked && question.kind !== 'size') {
      const numbers = lesson.numbers(asked);
      // Every number that reads the same would give it away.
      const hidden = question.kind !== 'cell' ? new Set()
        : new Set(numbers.texts.flatMap((text, flat) => text === question.answer.trim() ? [flat] : []));
      if (question.cell && question.kind === 'cell') hidden.add(flatIndex(asked.shape, question.cell));
      figures.push(tensorFigure({...asked, changed: null, changed_text: null}, numbers,
        {tokens: lesson.tokens, hidden, sumsHidden: true}));
      const figure = figures.at(-1);
      reveal = () => hidden.forEach(flat => figure.cell(flat)?.replaceChildren(numbers.texts[flat]));
    }
    const heading = el('h2', {tabindex: -1, id: 'step-title'}, step.title);
    const form = formOf(question, () => reveal());
    return {
      node: el('article.step.question', {'aria-labelledby': heading.id},
        el('header', {}, el('div', {}, el('p.place', {}, 'Predict · ', placeOf(lesson, step, lesson.side)), heading)),
        el('div.columns', {}, el('div.explain', {}, form),
          el('div.tensors', {}, figures.map(figure => figure.node)))),
      heading, figures, aside: form, figure: () => undefined,
    };
  }

  function formOf(question, reveal) {
    const input = el('input', {type: 'text', autocomplete: 'off', spellcheck: 'false', size: 10, id: 'answer'});
    const said = el('p.said', {role: 'status'});
    const reply = el('button.primary', {type: 'submit'}, 'Answer');
    let tries = 0, over = false;
    const show = button('Show the step', close);
    const form = el('form.predict', {onsubmit: event => {
      event.preventDefault();
      if (over) return close();
      let verdict;
      try {
        verdict = judge(question, input.value, tries);
      } catch (error) {
        verdict = {over: false, text: error.message};
      }
      ++tries;
      said.textContent = verdict.text;
      said.className = `said ${verdict.right ? 'right' : 'wrong'}`;
      if (!verdict.over) return input.select();
      over = true;
      done.add(question.question);
      reveal();
      input.disabled = true;
      reply.hidden = true;
      show.classList.add('primary');
      show.focus();
    }}, el('label', {for: input.id}, el('strong', {}, question.words || question.name)),
    el('p.hint', {}, question.kind === 'size' ? 'How many?'
      : 'Digits like 0.25, a fraction like 1/3, inf or -inf. Nothing: give up.'),
    el('div.actions', {}, input, reply, show), said);
    return form;
  }

  function close() {
    if (open) done.add(open.question);
    open = null;
    page.show();
    page.focusHeading();
  }

  return {
    get isOn() { return mode; },
    setMode(on) {
      mode = on;
      remember('predict', on ? 'yes' : 'no');
      if (on) this.ask();
      else if (open) close();
    },
    // The view of the open question, if this step has one.
    viewFor(step) {
      if (open && open.step !== step.id) open = null;
      if (!open && mode && page.lesson.side === 'forward') open = nextFor(step, true);
      return open ? view(open) : null;
    },
    get isOpen() { return Boolean(open); },
    ask() {
      open = page.lesson.side === 'forward' ? nextFor(page.lesson.step, false) : null;
      if (!open) return page.say(questionsOf(page.lesson.step).length ? 'All of this step is answered.'
        : 'This step has nothing to predict.');
      page.show();
      document.getElementById('answer')?.focus();
    },
    putOff: close,
  };
}

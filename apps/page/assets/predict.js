// Predict: a question is asked before its step is shown. The engine judges the answer; without it, the page compares
// the answer with the texts of right answers and of common mistakes.
const MOST_TRIES = 2, FEW_CHOICES = 3;
const FORMS = {
  cell: 'Digits like 0.25, a fraction like 1/3, inf or -inf. Nothing: give up.',
  size: 'How many?',
  shape: 'All sizes, like (6, 2).',
};

function predictOf(page) {
  const done = new Set();
  let mode = remembered('predict') === 'yes', open = null;

  // A changed run has different answers.
  async function renew() {
    const {data} = page.lesson;
    if (data !== page.recorded && page.engine.isOn) data.asked ??= await page.engine.ask(page.busy, {}, 'questions');
  }
  function questionsOf(step) {
    const {data} = page.lesson;
    if (data !== page.recorded && !data.asked && page.engine.isOn) {
      renew().then(() => data === page.lesson.data && !open && page.show(), error => page.say(error.message));
      return [];
    }
    return (data.asked ?? data.questions ?? []).filter(question => question.step === step.id);
  }
  function nextFor(step, onArrival) {
    const left = questionsOf(step).filter(question => !done.has(question.question));
    return left.find(question => question.ways.includes('first')) ?? (onArrival ? null : left[0]) ?? null;
  }

  function isAccepted(question, typed) {
    if (question.kind === 'choice') return typed === question.answer;
    if (question.kind === 'shape') return String(typed.match(/\d+/g)) === String(question.answer.match(/\d+/g));
    return question.accepted.includes(typed);
  }

  const letterOf = i => 'abcdefgh'[i];
  const solutionOf = ({choices, answer}) => choices ? `${letterOf(choices.indexOf(answer))}) ${answer.replace(/\.$/, '')}` : answer;

  function judge(question, answer, tries) {
    if (page.engine.isOn) return page.engine.call('judge', question.question, answer, tries);
    const typed = answer.trim(), most = question.choices?.length <= FEW_CHOICES ? 1 : MOST_TRIES;
    if (typed && isAccepted(question, typed)) return {right: true, over: true, text: `Right: ${solutionOf(question)}.`};
    const slip = question.slips.find(one => one.answers.includes(typed))?.text ?? '';
    if (typed && tries + 1 < most) return {right: false, over: false, text: `No. ${slip} One more try.`.replace('  ', ' ')};
    return {right: false, over: true, text: `${typed ? 'No. ' : ''}${slip} It is ${solutionOf(question)}.`.replace('  ', ' ').trim()};
  }

  // Returns the cells that would give the answer away: its whole row, since weights can be subtracted from 1, and every
  // number with the same text as one in that row.
  function hiddenBy(question, asked, numbers) {
    if (question.kind !== 'cell') return new Set();
    const flat = flatIndex(asked.shape, question.cell ?? []), length = asked.shape.at(-1) ?? 1;
    const first = flat - flat % length, row = numbers.texts.slice(first, first + length).map(text => text.trim());
    const known = new Set(row.filter(text => Number.isFinite(Number(text)) && ![0, 1].includes(Number(text))));
    known.add(question.answer.trim());
    return new Set(numbers.texts.flatMap((text, at) =>
      (at >= first && at < first + length) || known.has(text.trim()) ? [at] : []));
  }

  // Shown instead of the step: the tensors that the answer is computed from, and the tensor with the answer left out.
  function view(question) {
    const {lesson} = page, step = lesson.step;
    const figures = question.given.map(address => lesson.tensorAt(parseAddress(address))).filter(Boolean)
      .map(found => tensorFigure(found.entry, found.numbers, {tokens: lesson.tokens}));
    const asked = step.entries.find(entry => entry.name === question.tensor);
    let reveal = () => {};
    if (asked && ['cell', 'row sum'].includes(question.kind)) {
      const numbers = lesson.numbers(asked), hidden = hiddenBy(question, asked, numbers);
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
      heading, figures, figure: () => undefined,
    };
  }

  // The field in which an answer is typed or chosen: {nodes, value(), again(), disable()}.
  function fieldOf(question, words) {
    if (!question.choices) {
      const input = el('input', {type: 'text', autocomplete: 'off', spellcheck: 'false', size: 10, id: 'answer'});
      return {nodes: [el('label', {for: input.id}, words), el('p.hint', {}, FORMS[question.kind] ?? FORMS.cell), input],
        value: () => input.value, again: () => input.select(), disable: () => { input.disabled = true; }};
    }
    const inputs = question.choices.map((text, i) =>
      el('input', {type: 'radio', name: 'answer', value: text, id: i ? `answer-${i}` : 'answer'}));
    return {nodes: [el('fieldset.choices', {}, el('legend', {}, words),
      inputs.map((input, i) => el('label', {}, input, ` ${letterOf(i)}) ${question.choices[i]}`)))],
    value: () => inputs.find(input => input.checked)?.value ?? '', again: () => {},
    disable: () => inputs.forEach(input => { input.disabled = true; })};
  }

  function formOf(question, reveal) {
    const field = fieldOf(question, el('strong', {}, question.words || question.name));
    const said = el('p.said', {role: 'status'}), hints = el('ol.hints'), opened = el('pre.opened');
    const reply = button('Answer', send, {class: 'primary'});
    const left = [...question.hints ?? []];
    const hint = button('Hint', () => {
      hints.append(el('li', {}, left.shift()));
      hint.disabled = !left.length;
    });
    let tries = 0, over = false;
    const show = button('Show the step', close);
    async function send() {
      if (over) return close();
      let verdict;
      try {
        verdict = await judge(question, field.value(), tries);
      } catch (error) {
        verdict = {over: false, text: error.message};
      }
      ++tries;
      said.textContent = verdict.text;
      said.className = `said ${verdict.right ? 'right' : 'wrong'}`;
      if (!verdict.over) return field.again();
      over = true;
      done.add(question.question);
      reveal();
      if (!verdict.right) opened.textContent = question.opened ?? '';
      field.disable();
      reply.hidden = hint.hidden = true;
      show.classList.add('primary');
      show.focus();
    }
    return fieldsOf('div.predict', send, field.nodes, el('div.actions', {}, reply, left.length ? hint : null, show), el('div', {role: 'status'}, hints), said, opened);
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
    // Returns the view of the open question, if this step has one.
    viewFor(step) {
      if (open && open.step !== step.id) open = null;
      if (!open && mode && page.lesson.side === 'forward') open = nextFor(step, true);
      return open ? view(open) : null;
    },
    get isOpen() { return Boolean(open); },
    async ask() {
      try {
        await renew();
      } catch (error) {
        return page.say(error.message);
      }
      open = page.lesson.side === 'forward' ? nextFor(page.lesson.step, false) : null;
      if (!open) return page.say(questionsOf(page.lesson.step).length ? 'All of this step is answered.'
        : 'This step has nothing to predict.');
      page.show();
      document.getElementById('answer')?.focus();
    },
    putOff: close,
  };
}

// A step: what it says, and its tensors beside that.
// hooks(entry) -> those of tensorFigure(). edits: as codeOf() takes it. heading is focused after a step is chosen.
function stepView(lesson, step, side, hooks, tools = null, edits = null) {
  const heading = el('h2', {tabindex: -1, id: 'step-title'}, breakable(step.title));
  const figures = step.entries.map(entry => tensorFigure(entry, lesson.numbers(entry, side), hooks(entry)));
  const say = el('div.say', {}, proseOf(step), codeOf(lesson, step, edits),
    wordsOf(lesson, step));
  const aside = el('div.explain', {}, say);
  const tensors = el('div.tensors', {}, figures.map(figure => figure.node));
  return {
    node: el('article.step', {'aria-labelledby': heading.id},
      el('header', {},
        el('div', {}, el('p.place', {}, placeOf(lesson, step, side)), heading, ledeOf(lesson, side)), tools),
      el('div.columns', {}, aside, tensors)),
    heading, aside, tensors, figures,
    figure: name => figures.find(figure => figure.entry.name === name),
  };
}

// At the beginning: what the lesson is for.
function ledeOf(lesson, side) {
  const {understand} = lesson.data.lesson;
  if (side !== 'forward' || lesson.at !== 0 || !understand) return null;
  return el('p.lede', {}, `You will understand ${understand}.`);
}

function placeOf(lesson, step, side) {
  if (side === 'given') return 'Before the first step';
  const parts = [`${side === 'backward' ? 'Backward step' : 'Step'} ${step.number} of ${lesson.lists[side].length}`];
  if (step.section) parts.push(`section ${step.section}`);
  return parts.join(' · ');
}

function proseOf(step) {
  return [step.sentences?.length ? el('p.prose', {}, sentence(step.sentences.join(' '))) : null,
    step.formulas?.length ? el('div.formulas', {}, step.formulas.map(formula =>
      el('p.formula', {role: 'math', 'aria-label': formula.text}, formula.text))) : null];
}

// Steps that a sentence names are links. A browser may end a line after the minus of -0.5; nobody should read it
// as 0.5.
function sentence(text) {
  return text.split(/(\bbackward-\d+\b|(?<=^|[\s(])-[\w.]+)/).map((part, i) => {
    if (i % 2 === 0) return part;
    return part.startsWith('-') ? el('span.unbroken', {}, part) : el('a', {href: hashOf(part)}, part);
  });
}

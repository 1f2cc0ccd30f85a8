// A step: its text, and its tensors beside the text.
// hooks(entry) returns the hooks of tensorFigure(). edits: see codeOf(). heading gets the focus after a step is chosen.
function stepView(lesson, step, side, hooks, tools = null, edits = null) {
  const heading = el('h2', {tabindex: -1, id: 'step-title'}, breakable(step.title));
  const figures = step.entries.map(entry => tensorFigure(entry, lesson.numbers(entry, side), hooks(entry)));
  const say = el('div.say', {}, proseOf(lesson, step, side), codeOf(lesson, step, edits),
    wordsOf(lesson, step));
  const aside = el('div.explain', {}, say);
  const tensors = el('div.tensors', {}, figures.map(figure => figure.node));
  return {
    node: el('article.step', {'aria-labelledby': heading.id},
      el('header', {},
        el('div', {}, el('p.place', {}, placeOf(lesson, step, side)), heading, ledeOf(lesson, step, side)), tools),
      el('div.columns', {}, aside, tensors)),
    heading, aside, tensors, figures,
    figure: name => figures.find(figure => figure.entry.name === name),
  };
}

// In the first step: the purpose of the lesson.
function ledeOf(lesson, step, side) {
  const {understand} = lesson.data.lesson;
  if (side !== 'forward' || step !== lesson.lists.forward[0] || !understand) return null;
  return el('p.lede', {}, `You will understand ${understand}.`);
}

function placeOf(lesson, step, side) {
  if (side === 'given') return 'Before the first step';
  const parts = [`${side === 'backward' ? 'Backward step' : 'Step'} ${step.place} of ${lesson.roadLength(side)}`];
  if (step.section) parts.push(`section ${step.section}`);
  return parts.join(' · ');
}

// On a narrow screen the tensors stand where they are read, after the first sentences; else beside the text.
const NARROW = matchMedia('(max-width: 48rem), (max-width: 80rem) and (max-height: 30rem)');

// A step: its text, and its tensors. settle() puts the tensors in their place, again when the screen has been turned.
// hooks(entry) returns the hooks of tensorFigure(). edits: see codeOf(). heading gets the focus after a step is chosen.
function stepView(lesson, step, side, hooks, tools = null, edits = null) {
  const heading = el('h2', {tabindex: -1, id: 'step-title'}, breakable(step.title));
  const figures = step.entries.map(entry => tensorFigure(entry, lesson.numbers(entry, side), hooks(entry)));
  const {lead, rest} = proseOf(lesson, step, side), begin = el('div.say', {}, lead);
  const tensors = el('div.tensors', {}, figures.map(figure => figure.node));
  const columns = el('div.columns', {}, el('div.explain', {}, begin,
    el('div.say', {}, rest, codeOf(lesson, step, edits), wordsOf(lesson, step))));
  const settle = () => NARROW.matches ? begin.after(tensors) : columns.append(tensors);
  settle();
  return {
    node: el('article.step', {'aria-labelledby': heading.id},
      el('header', {},
        el('div', {}, el('p.place', {}, placeOf(lesson, step, side)), heading, ledeOf(lesson, step, side)), tools),
      columns),
    heading, tensors, figures, settle,
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

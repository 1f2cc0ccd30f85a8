// On paper there is no slider: print all steps of the shown side, one after the other.
function printAll(page) {
  const paper = el('div.paper', {'aria-hidden': 'true'});
  window.addEventListener('beforeprint', () => {
    const {lesson} = page;
    paper.replaceChildren(el('h1', {}, lesson.data.lesson.title), ...lesson.steps.map(step =>
      stepView(lesson, step, lesson.side, entry => ({tokens: lesson.tokens, allBlocks: true,
        before: lesson.textsBefore(step, entry)})).node));
    for (const heading of paper.querySelectorAll('[id]')) heading.removeAttribute('id');
    document.body.append(paper);
    document.body.classList.add('printing');
  });
  window.addEventListener('afterprint', () => {
    paper.remove();
    paper.replaceChildren();
    document.body.classList.remove('printing');
  });
}

// The words of a step that the glossary explains: a list, in which each word opens to its explanation.
function wordsOf(lesson, step) {
  const glossary = lesson.glossary;
  const names = glossary?.steps[step.id] ?? [];
  if (!names.length) return null;
  return el('details.words', {}, el('summary', {}, `Words of this step (${names.length})`),
    names.map(name => {
      const {title, text} = glossary.terms[name];
      return el('details', {}, el('summary', {}, title), text.map(part => el('p', {}, part)));
    }));
}

// The page proves itself: the engine computes the recorded lesson once more, and every number must be the same.
function proofOf(page) {
  const alarm = el('div.alarm', {role: 'alert'});
  const note = el('p.proof', {});

  // The first cell that differs, or null.
  function difference(recorded, again) {
    for (const [i, step] of recorded.forward.entries()) {
      for (const [j, entry] of step.entries.entries()) {
        const other = again.forward[i]?.entries[j];
        const a = recorded.numbers[entry.numbers], b = other && again.numbers[other.numbers];
        if (!a) continue;
        if (b && a.texts === b.texts && a.exact === b.exact && a.text === b.text) continue;
        const was = numbersOf(recorded.numbers, entry).exact ?? [], is = (b && numbersOf(again.numbers, other).exact) ?? [];
        const flat = was.findIndex((text, k) => text !== is[k]);
        const cell = flat < 0 ? `${step.id}:${entry.name}` : addressOf(step.id, entry.name, indexAt(entry.shape, flat));
        return {cell, was: was[flat] ?? 'recorded', is: is[flat] ?? 'missing'};
      }
    }
    return again.forward.length === recorded.forward.length ? null : {cell: 'the number of steps',
      was: recorded.forward.length, is: again.forward.length};
  }

  // What must not run by itself.
  function offer(why, run) {
    note.replaceChildren(`Not computed again in this page by itself: ${why} `, button('Compute it here', run));
  }

  // Whether the engine can be used.
  function check() {
    const recorded = page.recorded;
    const begun = performance.now();
    let again;
    try {
      again = page.engine.call('open', recorded.lesson.id, recorded.flags ?? {});
      for (const change of recorded.set ?? []) again = page.engine.call('set', change);
    } catch (error) {
      alarm.replaceChildren(el('p', {}, el('strong', {}, 'The engine in this page cannot run the lesson: '), error.message));
      return false;
    }
    const wrong = difference(recorded, again);
    if (wrong) {
      alarm.replaceChildren(el('p', {}, el('strong', {}, 'This page and its engine disagree. '),
        'The first number that differs: ', linkTo(page, wrong.cell),
        ` is ${wrong.was} in the page, and the engine computes ${wrong.is}. Do not trust what is edited here.`));
      note.textContent = '';
      return true;
    }
    const numbers = recorded.numbers.reduce((sum, one) => sum + (one.texts ? one.texts.split(' ').length : 0), 0);
    note.textContent = `The engine in this page has computed the lesson again in ` +
      `${Math.round(performance.now() - begun)} ms: ${numbers} numbers, all the same.`;
    return true;
  }

  return {alarm, note, check, offer};
}

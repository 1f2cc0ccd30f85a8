// The page proves itself: the engine computes the recorded lesson once more, and every number must be the same.
function proofOf(page) {
  const alarm = el('div.alarm', {role: 'alert'});
  const note = el('p.proof', {});

  // Returns where the runs first differ: {where: address, was, is}, the last two only for a number; null if nowhere.
  function difference(recorded, again) {
    for (const [i, step] of recorded.forward.entries()) {
      for (const [j, entry] of step.entries.entries()) {
        const found = differenceIn(recorded, entry, again, again.forward[i]?.entries[j]);
        if (!found) continue;
        const index = found.flat < 0 ? [] : indexAt(entry.shape, found.flat);
        return {where: addressOf(step.id, entry.name, index), ...found};
      }
    }
    return again.forward.length === recorded.forward.length ? null : {where: recorded.forward.at(-1).id};
  }

  function differenceIn(recorded, entry, again, other) {
    const a = recorded.numbers[entry.numbers], b = again.numbers[other?.numbers];
    if (!a) return null;
    if (b && a.texts === b.texts && a.exact === b.exact && a.text === b.text &&
        entry.folded?.checksum === other.folded?.checksum) return null;
    const before = numbersOf(recorded.numbers, entry), now = b && numbersOf(again.numbers, other);
    for (const kind of ['exact', 'texts']) {
      const flat = now ? before[kind].findIndex((text, at) => text !== now[kind][at]) : -1;
      if (flat >= 0) return {flat, was: before[kind][flat], is: now[kind][flat]};
    }
    return {flat: -1};
  }

  // Compares the recorded lesson with the engine's new run, and reports both the result and the run's time.
  function compare(again, milliseconds) {
    const {recorded} = page, wrong = difference(recorded, again);
    if (wrong) {
      alarm.replaceChildren(el('p', {}, el('strong', {}, 'This page and its engine disagree. '),
        'What differs first: ', linkTo(page, wrong.where),
        wrong.was === undefined ? ' is not what the engine computes. '
          : ` is ${wrong.was} in the page, and the engine computes ${wrong.is}. `,
        'Do not trust what is edited here.'));
      return say('');
    }
    const tensors = new Map(recorded.forward.flatMap(step => step.entries)
      .filter(entry => recorded.numbers[entry.numbers]).map(entry => [entry.numbers, entry]));
    const numbers = [...tensors.values()].reduce((sum, entry) =>
      sum + numbersOf(recorded.numbers, entry).texts.length, 0);
    say(`The engine in this page has computed the lesson again in ${Math.round(milliseconds)} ms: ` +
      `${numbers} numbers, all the same.`);
  }
  function say(text) {
    note.textContent = text;
  }

  return {alarm, note, compare, say};
}

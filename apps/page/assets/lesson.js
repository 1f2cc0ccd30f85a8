// The step before the first: inputs and weights, which the lesson's code has not computed.
const GIVEN_WORDS = 'The lesson begins with these numbers. The random generator or the author wrote them down; all others follow from them.';
const GIVEN = {title: 'Given: inputs and weights', prose: [[GIVEN_WORDS]]};

// The lesson that the page shows: its steps in three lists, and the step that is shown.
class Lesson {
  constructor(data) {
    this.side = 'forward';
    this.at = 0;
    this.base = data.differences ? null : data;  // the run without changed cells, if it is known
    this.glossary = data.glossary;  // a run made in the page has neither a glossary nor onward links
    this.onward = onwardOf({lesson: data.lesson.id, ...data.onward});
    this.adopt(data);
  }

  // Replaces the run by a different run of the lesson, at the same place.
  adopt(data, backward = null) {
    const id = this.lists ? this.step.id : null;
    this.data = data;
    this.lists = {forward: data.forward, backward: backward?.backward ?? data.backward ?? [],
      given: data.given?.entries.length ? [{...data.given, ...GIVEN}] : []};
    this.tables = {forward: data.numbers, backward: backward?.numbers ?? data.numbers, given: data.numbers};
    const place = id && this.find(id);
    if (place) Object.assign(this, place);
    else this.at = Math.min(this.at, Math.max(0, this.steps.length - 1));
    if (!this.steps.length) Object.assign(this, {side: 'forward', at: 0});
  }

  get steps() { return this.lists[this.side]; }
  get step() { return this.steps[this.at]; }
  get tokens() { return this.data.tokens ?? []; }
  roadLength(side = this.side) { return Number.parseInt(this.lists[side].at(-1).place, 10); }
  get hasBackward() { return this.lists.backward.length > 0; }
  get isChanged() { return Boolean(this.data.differences); }

  find(id) {
    for (const side of Object.keys(this.lists)) {
      const at = this.lists[side].findIndex(step => step.id === id);
      if (at >= 0) return {side, at};
    }
    return null;
  }

  // Returns the tensor that an address names; null if no step shows it.
  tensorAt(address) {
    const place = this.find(address.step);
    const entry = place && this.lists[place.side][place.at].entries.find(one => one.name === address.tensor);
    return entry ? {...place, entry, numbers: this.numbers(entry, place.side)} : null;
  }

  numbers(entry, side = this.side) {
    return numbersOf(this.tables[side], entry);
  }

  // Returns a step of the unchanged run; null if nothing is changed, or the step is new.
  stepBefore(step) {
    return this.isChanged && this.base?.forward.find(one => one.id === step.id) || null;
  }

  // The same for the texts of a tensor's cells.
  textsBefore(step, entry) {
    const old = this.stepBefore(step)?.entries.find(one => one.name === entry.name);
    return old ? numbersOf(this.base.numbers, old)?.texts : null;
  }

  // Returns whether a step differs from the unchanged run.
  isTouched(step) {
    return this.isChanged && (step.entries.some(entry => entry.changed || entry.reworded) ||
      step.blocks?.some(block => block.edited && block.whose !== 'wrong'));
  }
}

// The engine of a lesson's page: whether it can answer, and what the page shows while it computes.
const SOON = 150;  // milliseconds; a call that takes longer is reported
const WORTH_A_BAR = 1e8;  // multiplications
const STOPPED = 'Stopped, as you wished.';

function computingOf(page) {
  const {heavy, flags, file, lesson, most_cells, multiplications} = page.recorded;
  const [run, back] = multiplications;
  let state = 'starts';  // waits: for the reader to ask; runs: its first run; on; off
  let why = 'its engine is still starting.';
  // Shown in the panel of a number that waits for the first run.
  const node = el('div.computing', {}, el('p.missing', {}, 'The engine is starting. The arithmetic comes as soon as it is there.'));

  function become(now, reason = '') {
    state = now;
    why = reason;
    document.documentElement.dataset.engine = {on: 'ready', off: 'off', waits: 'waits'}[now] ?? '';
  }

  // Calls the engine. total: the multiplications that the call makes; seconds: its time limit. If the call takes long,
  // `place` shows the progress and lets the reader stop it. Returns a promise of the answer.
  function ask(place, {words = 'Computing', total = 0, seconds = 0}, name, ...args) {
    const bar = el('progress', {max: 1, 'aria-label': words, hidden: true});
    const far = el('span.far', {'aria-hidden': 'true'}), begun = performance.now();
    const follow = done => {
      if (total < WORTH_A_BAR || total < done) return;
      const share = done / total, seconds = (performance.now() - begun) / 1000;
      bar.hidden = false;
      bar.value = share;
      far.textContent = `${inBillions(done)} of ${inBillions(total)} billion multiplications, ${Math.round(seconds)} s` +
        (share > 0.1 ? `, about ${Math.ceil(seconds / share - seconds)} s to go` : '');
    };
    const job = engine.run({seconds, follow}, name, ...args);
    const says = el('div.runs', {}, el('p', {role: 'status'}, `${words} …`, engine.isBeside ? ''
      : ' This page may run nothing beside itself, so it stands still meanwhile.'), bar, far,
    engine.isBeside && button('Stop', () => job.end(STOPPED)));
    const late = setTimeout(() => place.replaceChildren(says), api.soon);
    return job.done.finally(() => {
      clearTimeout(late);
      says.remove();
    });
  }

  async function start() {
    if (flags === null) return off('a trained model cannot be carried in it.');
    if (typeof engine === 'undefined') return off('it was made without the engine.');
    // Put the first step on the screen before the engine starts.
    await new Promise(done => setTimeout(done, 50));
    try {
      await engine.start();
      await engine.call('read', file.name, file.text, Number(file.own));
    } catch (error) {
      return off(error.message);
    }
    if (!heavy) return compute();
    offer();
    page.engineChanged();
  }

  // Lets the reader start the first run.
  function offer(problem = '') {
    become('waits', 'the lesson has not been computed in it yet: open a number to do so.');
    page.proof.say(`${heavy} Not computed again in this page by itself: open a number to do so.`.trim());
    node.replaceChildren(el('p.missing', {}, `${heavy} The lesson has not been computed in this page yet.`.trim()),
      problem && el('p.problem', {}, problem), button('Compute the lesson here', compute, {class: 'primary'}));
  }

  // Runs the recorded lesson again, to prove that the page and its engine agree.
  async function compute() {
    if (state === 'runs') return;
    become('runs', 'its engine computes the lesson.');
    const begun = performance.now(), hadFocus = node.contains(document.activeElement);
    try {
      const again = await ask(node, {words: 'Computing the lesson', total: run}, 'open', lesson.id, flags, most_cells);
      page.lesson.base ??= again;
      let now = again;
      for (const change of page.recorded.set ?? []) now = await ask(node, {total: run}, 'set', change);
      page.proof.compare(now, performance.now() - begun);
      on();
    } catch (error) {
      if (heavy || error.message === STOPPED) {
        offer(error.message);
        if (hadFocus) node.querySelector('button').focus();
        return;
      }
      page.proof.alarm.replaceChildren(el('p', {},
        el('strong', {}, 'The engine in this page cannot run the lesson: '), error.message));
      off('its engine cannot run the lesson.');
    }
  }

  function on() {
    become('on');
    page.engineChanged();
  }
  function off(reason) {
    become('off', reason);
    page.engineChanged();
  }

  const api = {
    start, ask,
    // Multiplications of the recorded run, and of its backward passes.
    run, back,
    // Milliseconds until a call is reported. A page that freezes during the call must report it at once.
    get soon() { return engine.isBeside ? SOON : 0; },
    // Returns whether the engine has run the lesson.
    get isOn() { return state === 'on'; },
    // Returns whether the engine can run the lesson with the reader's settings.
    get canRun() { return ['on', 'waits'].includes(state); },
    // Returns why the engine is not on.
    get why() { return why; },
    // Shown in the panel of a number until its arithmetic arrives; null if it never will.
    get waits() { return state === 'off' ? null : node; },
    has: on,
    call: (name, ...args) => engine.call(name, ...args),
  };
  return api;
}

const inBillions = count => (count / 1e9).toFixed(1);

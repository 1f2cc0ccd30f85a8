// Plays a picture of numbers frame by frame, with its buttons and words. On the whole page one picture plays at a time.
const PER_FRAME = 700, SHORTEST_FRAME = 100, LONGEST_PLAY = 12_000;  // milliseconds
const FLIGHT = 0.7;  // the part of a frame in which things move
const CALM = matchMedia('(prefers-reduced-motion: reduce)');

// Stops the picture that plays, and takes away what it has added to the page.
let leavePlaying = () => {};
document.addEventListener('input', () => leavePlaying());

const PLAY_ICONS = {Play: 'M2 1v10l9-5z', Pause: 'M2 1h3v10H2zM7 1h3v10H7z'};

// count(): how many frames; draw(at): shows the picture after `at` frames; say(at): its words. All optional: what: its
// name; move(next, duration) begins the motion to the picture `next`; land() takes away what a motion added; leave();
// more, less: texts and titles of the buttons; lead: how long the first picture stands.
function playerOf({count, draw, say, what = '', move, land, leave, more = [], less = [], perFrame = PER_FRAME, lead = 0}) {
  let at = 0, timer = null;
  // A screen reader hears where the picture stops, not each of its frames.
  const status = el('p.sum', {role: 'status'}), running = el('p.sum', {'aria-hidden': 'true', hidden: true});
  const toggle = button('', () => timer === null ? play() : pause(), {class: 'play'});
  const next = button(more[0], () => go(1), {title: more[1]}), back = button(less[0], () => go(-1), {title: less[1]});
  const all = button('all', () => go(count())), buttons = el('div.actions', {}, next, back, toggle, all);

  function show(to) {
    at = Math.max(0, Math.min(count(), to));
    draw(at);
    running.textContent = say(at);
    if (timer === null) status.textContent = running.textContent;
    running.hidden = timer === null;
    status.classList.toggle('unseen', timer !== null);
    next.disabled = all.disabled = at === count();
    back.disabled = at === 0;
    const verb = timer === null ? 'Play' : 'Pause';
    if (toggle.dataset.verb === verb) return;
    toggle.dataset.verb = verb;
    toggle.replaceChildren(svgEl('svg', {viewBox: '0 0 12 12', 'aria-hidden': 'true'}, svgEl('path', {d: PLAY_ICONS[verb]})),
      `${verb}${what}`);
  }

  function play() {
    if (leavePlaying !== quit) leavePlaying();
    leavePlaying = quit;
    const duration = Math.max(SHORTEST_FRAME, Math.min(perFrame, LONGEST_PLAY / count()));
    const by = Math.ceil(count() * duration / LONGEST_PLAY);
    let due = performance.now();  // the clock of the whole play, so that slow frames do not add up
    const later = (wait, then) => {
      due += wait;
      timer = setTimeout(then, due - performance.now());
    };
    const frame = () => {
      const to = Math.min(count(), at + by), flight = CALM.matches || !move ? 0 : duration * FLIGHT;
      if (flight) move(to, flight);
      later(flight, () => {
        land?.();
        show(to);
        later(duration - flight, to < count() ? frame : pause);
      });
    };
    const from = at % count();
    later(from ? 0 : lead, frame);
    show(from);
    buttons.parentNode?.scrollIntoView({block: 'nearest'});  // on a phone the panel is low
  }
  function pause() {
    clearTimeout(timer);
    timer = null;
    land?.();
    show(at);
  }
  function quit() {
    leavePlaying = () => {};
    if (timer !== null) pause();
    leave?.();
  }
  function go(by) {
    if (timer !== null) pause();
    show(at + by);
  }

  return {
    show, go, toggle, buttons, status, running,
    get at() { return at; },
    get isPlaying() { return timer !== null; },
    // Space plays and pauses where it presses no button.
    onkeydown(event) {
      if (event.key !== ' ' || event.target.closest('button, a, input')) return;
      event.preventDefault();
      toggle.click();
    },
  };
}

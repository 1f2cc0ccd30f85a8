// A slider with a button at each end: over the steps of a lesson, or over the time of a training.
// go(at) is called when the reader has chosen a place. set(at, last, name, place) moves the slider and names its place.
function sliderOf(label, go) {
  const input = el('input', {type: 'range', min: 0, step: 1, 'aria-label': label});
  const text = el('output', {});
  const back = button('‹', () => go(Number(input.value) - 1), {'aria-label': 'Back', title: 'Back (←)'});
  const next = button('›', () => go(Number(input.value) + 1), {'aria-label': 'Next', title: 'Next (→)'});
  input.addEventListener('input', () => go(Number(input.value)));
  return {
    node: el('div.slider', {role: 'group', 'aria-label': label}, back, el('div.track', {}, text, input), next),
    set(at, last, name, place) {
      input.max = last;
      input.value = at;
      input.setAttribute('aria-valuetext', `${place}, ${name}`);
      input.style.setProperty('--done', last ? `${100 * at / last}%` : '100%');
      text.replaceChildren(el('span.place', {}, place), ' ', el('span.title', {}, name));
      back.disabled = at <= 0;
      next.disabled = at >= last;
    },
  };
}

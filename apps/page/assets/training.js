// The page of `glassgrad train`: the loss, and what the model did with one text at each recording. A slider goes
// through the recordings; #step-100 is the recording after step 100.
PAGES.training = function (data, root) {
  const curve = document.getElementById('curve');  // already in the page, for readers without scripts
  const main = el('main', {}, el('h1', {}, data.title), el('p.lead', {}, data.model), curve);
  root.replaceChildren(topOfPage(), main);
  if (!data.recordings.length) {
    main.append(el('p.note', {}, data.kept));
    return;
  }
  const recordings = data.recordings;
  const svg = curve.querySelector('svg'), marker = markerOn(svg);
  const slider = sliderOf('Recordings', show);
  const sample = el('p.sample'), next = el('div');
  const heads = headsView({tokens: data.tokens, zero: data.zero, heads: recordings[0].heads});
  let at = -1;

  main.append(
    slider.node,
    el('p.note', {}, data.kept),
    el('section', {'aria-labelledby': 'writes'}, el('h2', {id: 'writes'}, 'What it writes'), sample, next),
    el('section', {'aria-labelledby': 'heads'}, el('h2', {id: 'heads'}, 'Where its heads look'),
      el('p', {}, 'A square for each head: a row for each token that looks, a column for each token that it looks at; the ' +
        'stronger the colour, the larger the weight. Each row adds to 1.'), heads.node));

  function show(number) {
    number = Math.max(0, Math.min(recordings.length - 1, number));
    if (number === at) return;
    at = number;
    const recording = recordings[at];
    slider.set(at, recordings.length - 1, recording.measured, recording.title);
    fillSample(sample, data.tokens, recording.sample);
    next.replaceChildren(likelyTokens(recording.next));
    heads.show(recording.heads);
    marker(recording.x);
    writeAddress(`step-${recording.step}`);
  }
  const asked = () => recordings.findIndex(recording => location.hash === `#step-${recording.step}`);
  addEventListener('hashchange', () => asked() >= 0 && show(asked()));
  svg.addEventListener('click', event => show(nearest(svg, recordings, event.clientX)));
  show(asked() >= 0 ? asked() : recordings.length - 1);
};

function fillSample(into, given, written) {
  into.replaceChildren(unseen('Given: '), ...given.map(token => el('span.token.given', {}, token)),
    unseen(' It goes on: '), ...written.map(token => el('span.token', {}, token)));
}

// Adds a line to the curve at the recording that is shown.
function markerOn(svg) {
  const [, , , height] = svg.getAttribute('viewBox').split(' ');
  const line = svgEl('line', {class: 'marker', y1: 40, y2: Number(height) - 48});
  svg.append(line);
  return x => {
    line.setAttribute('x1', x);
    line.setAttribute('x2', x);
  };
}

// Returns the number of the recording that is nearest to the pointer in the curve.
function nearest(svg, recordings, clientX) {
  const box = svg.getBoundingClientRect();
  const x = (clientX - box.left) / box.width * svg.viewBox.baseVal.width;
  const away = recordings.map(recording => Math.abs(recording.x - x));
  return away.indexOf(Math.min(...away));
}

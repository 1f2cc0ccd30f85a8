// The map: all tensors of the run, in the sections of the lesson, with lines from those that each was computed from. The
// step's tensors stand out, with the ways that lead to them and away from them. A box leads to its step.
const SMALLEST = 0.2, LARGEST = 3, LEGIBLE = 0.65;  // of the zoom; a picture that fits at LEGIBLE is shown whole

function pictureOf(page) {
  const area = el('div.picture-area', {tabindex: 0, role: 'group', 'aria-label': 'Map; scroll or drag to see all of it'});
  const about = el('p.about', {});
  const zoomed = el('output.unseen');
  const head = el('div.picture-head', {}, about, el('div.actions', {role: 'group', 'aria-label': 'Zoom'},
    button('−', () => zoom(scale / 1.25), {'aria-label': 'Smaller', title: 'Smaller (-)'}),
    button('+', () => zoom(scale * 1.25), {'aria-label': 'Larger', title: 'Larger (+)'}),
    button('All', () => zoom(whole()), {title: 'All of it (0)'}),
    button('Here', () => toHere(), {title: 'Back to the step’s tensors (h)'}), zoomed));
  const node = dialog('picture', 'The map', head, area);
  let svg = null, scale = 1, said = '';

  // The engine draws the picture of a changed run only when it is opened.
  const picture = () => page.lesson.data.picture ?? page.recorded.picture;
  async function renew() {
    const {data} = page.lesson;
    if (data !== page.recorded && page.engine.isOn) data.picture ??= await page.engine.ask(page.busy, {}, 'picture');
  }

  // A gradient has the place of its number.
  function placeOn(address) {
    const found = page.lesson.tensorAt(parseAddress(address));
    return found?.entry.other && !boxOf(address) ? withoutCell(found.entry.other) : withoutCell(address);
  }
  const boxOf = address => picture()?.boxes.find(box => box.addresses.includes(withoutCell(address)));
  const stepsOf = box => box.addresses.map(address => parseAddress(address).step);

  // Returns the boxes that can be reached; `next(i)` are those next to box i.
  function reached(starts, next) {
    const seen = new Set(), open = [...starts];
    while (open.length) for (const i of next(open.pop())) if (!seen.has(i)) seen.add(i) && open.push(i);
    return seen;
  }

  function draw(address) {
    const {boxes, wires, bands, width, height} = picture(), {lesson} = page;
    const step = lesson.step.about || lesson.step.id, opened = address && boxOf(placeOn(address));
    const here = new Set([...boxes.keys()].filter(i => opened ? boxes[i] === opened : stepsOf(boxes[i]).includes(step)));
    const before = reached(here, i => boxes[i].from);
    const after = reached(here, i => boxes.flatMap((box, k) => box.from.includes(i) ? [k] : []));
    const side = i => here.has(i) ? 'here' : before.has(i) ? 'before' : after.has(i) ? 'after' : '';
    const ofWire = ({from, to}) => (here.has(to) || before.has(to)) ? 'before' : (here.has(from) || after.has(from)) ? 'after' : '';
    svg = svgEl('svg', {class: 'picture', viewBox: `0 0 ${width} ${height}`},
      svgEl('defs', {}, svgEl('marker', {id: 'picture-tip', viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 8, markerHeight: 8,
        markerUnits: 'userSpaceOnUse', orient: 'auto'}, svgEl('path', {class: 'wire-tip', d: 'M0 0L8 4L0 8z'}))),
      bands.map(({heading, y}, i) => [i ? svgEl('line', {class: 'band', x1: 0, x2: width, y1: y - 8, y2: y - 8}) : [],
        svgEl('text', {class: 'band', x: 12, y: y + 20}, heading)]),
      wires.map(wire => svgEl('path', {class: `wire ${ofWire(wire)}`, d: wire.path, 'marker-end': 'url(#picture-tip)'})),
      boxes.map((box, i) => drawBox(box, side(i), step)));
    area.replaceChildren(svg);
    const names = [...here].map(i => boxes[i].lines[0]);
    about.textContent = said = (names.length ? `You are at ${names.join(', ')}. ` : 'This step shows no tensor of the map. ') +
      'A box is a tensor; what it was computed from stands above it. Choose a box to go there.';
  }

  function drawBox(box, side, step) {
    const {x, y, width, height, lines, addresses, given} = box;
    const to = addresses.find(address => address.startsWith(`${step}:`)) ?? addresses[0], place = page.lesson.find(parseAddress(to).step);
    const shown = place ? page.lesson.lists[place.side][place.at] : null;
    const group = svgEl('g', {class: `box ${side}${given ? ' given' : ''}`},
      svgEl('rect', {x, y, width, height, rx: 4}),
      lines.map((line, i) => [svgEl('text', {x: x + width / 2, y: y + 16 * (i + 1), class: i ? '' : 'title'}, line), ' ']),
      side === 'here' ? svgEl('text', {class: 'mark', x: x - 8, y: y + 16, 'aria-hidden': 'true'}, '▸') : []);
    if (!shown) return group;
    const go = event => {
      event.preventDefault();  // else Enter also presses the button that gets the focus back
      node.close();
      page.goTo(to);
    };
    const where = `${placeOf(page.lesson, shown, place.side)}: ${shown.title}`;
    return fill(group, {tabindex: 0, role: 'link', 'data-address': to, 'aria-current': side === 'here' ? 'step' : null,
      'aria-label': `${lines.join(' ')}. ${where}`,
      onclick: event => dragged || go(event), onkeydown: event => { if (event.key === 'Enter') go(event); },
      onfocus: () => { if (group.matches(':focus-visible')) toMiddle(group); },
      onpointerenter: () => { about.textContent = `${lines[0]}. ${where}`; }, onpointerleave: () => { about.textContent = said; }}, []);
  }

  // ---- zoom, and moving by the mouse; a finger moves the area as it moves any page
  const whole = () => Math.min(1, (area.clientWidth - 4) / picture().width, (area.clientHeight - 4) / picture().height);
  // Keeps the point at (x, y) of the area, its middle if none is given, where it is.
  function zoom(to, x = area.clientWidth / 2, y = area.clientHeight / 2) {
    const {width, height} = picture(), before = scale;
    scale = Math.max(Math.min(SMALLEST, whole()), Math.min(LARGEST, to));
    svg.setAttribute('width', width * scale);
    svg.setAttribute('height', height * scale);
    area.scrollLeft = (area.scrollLeft + x) * scale / before - x;
    area.scrollTop = (area.scrollTop + y) * scale / before - y;
    zoomed.textContent = `${Math.round(100 * scale)} %`;
  }
  function toHere() {
    const boxes = [...svg.querySelectorAll('.here')];
    if (!boxes.length) return;
    if (scale < LEGIBLE) zoom(1);
    toMiddle(boxes[0]);
    boxes[0].focus({preventScroll: true});
  }
  // Not scrollIntoView: Firefox does not scroll to a part of a drawing.
  function toMiddle(box) {
    const at = box.getBoundingClientRect(), view = area.getBoundingClientRect();
    area.scrollLeft += at.left + at.width / 2 - view.left - view.width / 2;
    area.scrollTop += at.top + at.height / 2 - view.top - view.height / 2;
  }
  area.addEventListener('wheel', event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const {left, top} = area.getBoundingClientRect();
    zoom(scale * Math.exp(-event.deltaY / 200), event.clientX - left, event.clientY - top);
  }, {passive: false});
  node.addEventListener('keydown', event => {
    const act = {'+': () => zoom(scale * 1.25), '=': () => zoom(scale * 1.25), '-': () => zoom(scale / 1.25), 0: () => zoom(whole()), h: toHere}[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  const fingers = new Map();  // by pointer, where each is; the mouse is one of them
  let dragged = false, apart = 0;
  const gap = ([a, b]) => Math.hypot(a.x - b.x, a.y - b.y);
  area.addEventListener('pointerdown', ({pointerId, clientX: x, clientY: y}) => {
    fingers.set(pointerId, {x, y});
    dragged = false;
    if (fingers.size === 2) apart = gap([...fingers.values()]);
  });
  area.addEventListener('pointermove', event => {
    const at = fingers.get(event.pointerId), {clientX: x, clientY: y} = event;
    if (!at) return;
    if (fingers.size === 2) {
      fingers.set(event.pointerId, {x, y});
      const both = [...fingers.values()], now = gap(both), {left, top} = area.getBoundingClientRect();
      zoom(scale * now / apart, (both[0].x + both[1].x) / 2 - left, (both[0].y + both[1].y) / 2 - top);
      apart = now;
    } else if (event.pointerType === 'mouse') {
      if (!dragged && Math.hypot(x - at.x, y - at.y) < 5) return;
      dragged = true;
      area.scrollLeft -= x - at.x;
      area.scrollTop -= y - at.y;
      fingers.set(event.pointerId, {x, y});
    }
  });
  for (const event of ['pointerup', 'pointercancel', 'pointerleave']) area.addEventListener(event, ({pointerId}) => fingers.delete(pointerId));

  return {
    node,
    get exists() { return Boolean(picture()); },
    has: address => Boolean(picture() && boxOf(placeOn(address))),
    async open(address = null) {
      try {
        await renew();
      } catch (error) {
        return page.say(error.message);
      }
      if (!picture()) return page.say('This lesson shows no tensor.');
      node.showModal();
      draw(address);
      zoom(whole() >= LEGIBLE ? whole() : 1);
      toHere();
    },
  };
}

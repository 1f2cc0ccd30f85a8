// The map of the modules that ran: the part that the step shows is highlighted, a click on a part goes to the first
// step that shows it. For an opened number, the parts before and after it are marked.
function mapOf(page) {
  const node = el('nav.map', {'aria-label': 'Map of the modules', hidden: true});

  // A backward step has the place of the forward step that it is about.
  const shownBy = step => (step.about ? page.lesson.lists.forward.find(one => one.id === step.about) : step)?.map;

  // A gradient goes the way of its number in reverse.
  function wayOf(address) {
    const parsed = address && parseAddress(address), found = parsed && page.lesson.tensorAt(parsed);
    if (!found) return null;
    if (found.entry.way) return found.entry.way;
    const other = found.entry.other && page.lesson.tensorAt(parseAddress(found.entry.other))?.entry.way;
    return other ? {from: other.to, to: other.from} : null;
  }

  function draw(stations, whole, here, way) {
    const partsOf = i => stations.flatMap((station, k) => station.part_of === i ? [k] : []);
    const has = (i, list) => list.includes(i) || partsOf(i).some(part => has(part, list));
    const inRow = parts => parts.flatMap((part, k) => k ? [el('span.next', {'aria-hidden': 'true'}, '›'), shown(part)] : [shown(part)]);

    function chip(i) {
      const step = page.lesson.lists.forward.find(one => has(i, one.map?.here ?? []));
      const from = way && has(i, way.from), to = way && has(i, way.to);
      const text = [from && el('span', {'aria-hidden': 'true'}, '▸'), stations[i].name, to && el('span', {'aria-hidden': 'true'}, '▸'),
        from && unseen(', on the way to the number'), to && unseen(', on the way from the number')];
      const attributes = {class: [from && 'from', to && 'to'].filter(Boolean).join(' ') || null,
        'aria-current': has(i, here) ? 'step' : null};
      return step ? el('button', {type: 'button', title: step.title, onclick: () => page.goTo(step.id), ...attributes}, text)
        : el('span.chip', attributes, text);
    }
    function shown(i) {
      const parts = partsOf(i), {open, times} = stations[i];
      const often = times > 1 ? el('span.times', {}, `×${times}`) : null;
      if (open) return el('span.group', {}, inRow(parts), often);
      if (!parts.length || !has(i, here)) return el('span.row', {}, chip(i), often);
      return el('span.group', {}, chip(i), el('span.next', {'aria-hidden': 'true'}, ':'), inRow(parts), often);
    }
    return inRow(partsOf(whole));
  }

  return {
    node,
    // Called after a change of step, run or opened number.
    renew() {
      const {lesson} = page, stations = lesson.data.map ?? [], map = shownBy(lesson.step);
      const whole = map?.whole ?? null, way = wayOf(page.cell?.address);
      node.hidden = whole === null;
      if (node.hidden) return;
      const words = lesson.side === 'backward' ? ['came back through', 'goes on to'] : ['came through', 'goes on to'];
      node.replaceChildren(...[el('div.way', {}, draw(stations, whole, map.here, way)),
        way && el('p', {}, `${page.cell.address} ${words[0]} the parts with ▸ before their name, and ${words[1]} those with ▸ behind it.`),
      ].filter(Boolean));
    },
  };
}

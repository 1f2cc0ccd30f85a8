// Numbers that fly over the page, above everything, for the eye alone.
const MEET_AT = 0.6, GAP = 6;  // the part of a flight until two numbers meet; pixels between them

// Returns where a node is if its middle can be seen: not scrolled away, and nothing over it.
function inSight(node) {
  if (!node?.isConnected) return null;
  const box = node.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
  return node.contains(document.elementFromPoint(x, y)) ? {x, y, top: box.top, bottom: box.bottom} : null;
}

function flightOf() {
  const sky = el('div.sky', {'aria-hidden': 'true'});

  // The numbers, [{text, from: nodes that show it, kind}], fly from the first node in sight towards the goal. There they
  // become `result`, which goes into it.
  function meet(numbers, result, goals, duration) {
    const goal = goals.map(inSight).find(Boolean);
    if (!goal) return;
    const above = goal.top > 100, y = above ? goal.top - 18 : goal.bottom + 18;
    const made = numbers.map(({text, from, kind}) => ({chip: el('span', {class: `chip ${kind}`}, text),
      start: from.map(inSight).find(Boolean)}));
    const product = el('span.chip', {}, result);
    sky.replaceChildren(...made.map(({chip}) => chip), product);
    document.body.append(sky);
    const widths = made.map(({chip}) => chip.offsetWidth);
    const whole = widths.reduce((sum, width) => sum + width + GAP, -GAP);
    const middle = Math.max(whole / 2 + GAP, Math.min(innerWidth - whole / 2 - GAP, goal.x));
    const at = (place, scale = 1) => `translate(${place.x}px, ${place.y}px) translate(-50%, -50%) scale(${scale})`;
    const joint = {x: middle, y}, timing = {duration, fill: 'both'};
    let left = middle - whole / 2;
    made.forEach(({chip, start}, k) => {
      const met = {x: left + widths[k] / 2, y};
      left += widths[k] + GAP;
      chip.animate([{transform: at(start ?? met), opacity: start ? 1 : 0, easing: 'ease-in-out'},
        {transform: at(met), opacity: 1, offset: MEET_AT}, {transform: at(met), opacity: 1, offset: MEET_AT + 0.1},
        {transform: at(joint), opacity: 0, offset: MEET_AT + 0.2}, {transform: at(joint), opacity: 0}], timing);
    });
    product.animate([{transform: at(joint, 0.6), opacity: 0}, {transform: at(joint, 0.6), opacity: 0, offset: MEET_AT + 0.1},
      {transform: at(joint), opacity: 1, offset: MEET_AT + 0.2, easing: 'ease-in'}, {transform: at(goal), opacity: 1}], timing);
  }

  return {meet, land: () => sky.remove()};
}

// Covers a cell with another number, which is no text of the page: the cell keeps its own.
const coverOf = text => el('span.cover', {'aria-hidden': 'true', 'data-number': text});

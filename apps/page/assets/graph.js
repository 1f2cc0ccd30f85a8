// The autograd graph: a box leads to its tensor, and a tensor's panel to its box.
function graphOf(page) {
  const area = el('div.graph-area', {tabindex: 0, role: 'group', 'aria-label': 'Graph; scroll to see all of it'});
  const about = el('p.about', {});
  const all = el('input', {type: 'checkbox', id: 'graph-all', onchange: () => draw(null)});
  const every = el('p.every', {}, all, el('label', {for: all.id}, ' every node, no module as one box'));
  const legend = el('ul.legend', {role: 'list'}, [['leaf', 'an input or a weight'], ['node', 'one operation'],
    ['module', 'a module, all its nodes']].map(([kind, text]) =>
    el('li', {}, svgEl('svg', {width: 22, height: 14, 'aria-hidden': 'true'},
      svgEl('rect', {class: kind, x: 1, y: 1, width: 20, height: 12, rx: 3})), ` ${text}`)));
  const node = dialog('graph', 'The autograd graph', about, el('div.graph-head', {}, legend, every), area);
  // The engine draws the graph of a changed run only when it is opened; until then the recorded graph knows the
  // tensors.
  const graph = () => page.lesson.data.graph ?? page.recorded.graph;
  async function renew() {
    const {data} = page.lesson;
    if (data !== page.recorded && page.engine.isOn) data.graph ??= await page.engine.ask(page.busy, {}, 'graph');
  }

  const isIn = (drawing, address) =>
    Boolean(drawing?.boxes.some(box => box.address && box.address === withoutCell(address)));

  function draw(address) {
    const {title, nodes, leaves, collapsed, expanded} = graph();
    every.hidden = !expanded;
    const drawing = all.checked && expanded ? expanded : collapsed;
    about.textContent = `How ${title} was computed: ${nodes} nodes, ${leaves} leaves. A box leads to its tensor.`;
    const svg = svgEl('svg', {class: 'graph', viewBox: `0 0 ${drawing.width} ${drawing.height}`,
      width: drawing.width, height: drawing.height},
    drawing.wires.map(wire => svgEl('path', {class: 'wire', d: wire.path, 'marker-end': 'url(#graph-tip)'})),
    drawing.boxes.map(box => boxOf(box, address)));
    svg.prepend(svgEl('defs', {}, svgEl('marker', {id: 'graph-tip', viewBox: '0 0 8 8', refX: 8, refY: 4,
      markerWidth: 8, markerHeight: 8, orient: 'auto'}, svgEl('path', {class: 'wire-tip', d: 'M0 0L8 4L0 8z'}))));
    area.replaceChildren(svg);
    const found = svg.querySelector('.here');
    if (!found) return;
    found.scrollIntoView({block: 'center', inline: 'center'});
    found.focus({preventScroll: true});
  }

  function boxOf(box, address) {
    const here = address && box.address === withoutCell(address);
    const group = svgEl('g', {class: `box ${box.kind}${here ? ' here' : ''}`},
      svgEl('rect', {class: box.kind, x: box.x, y: box.y, width: box.width, height: box.height, rx: 4}),
      box.lines.map((line, i) => [svgEl('text', {x: box.x + box.width / 2, y: box.y + 16 * (i + 1),
        class: i ? '' : 'title'}, line), ' ']));
    if (!box.address || !page.lesson.find(parseAddress(box.address)?.step)) return group;
    const go = () => {
      node.close();
      page.goTo(box.address);
    };
    return fill(group, {tabindex: 0, role: 'link', 'data-address': box.address,
      onclick: go, onkeydown: event => { if (event.key === 'Enter') go(); }}, []);
  }

  return {
    node,
    get exists() { return Boolean(graph()); },
    has: address => isIn(graph()?.collapsed, address) || isIn(graph()?.expanded, address),
    async open(address = null) {
      try {
        await renew();
      } catch (error) {
        return page.say(error.message);
      }
      if (!graph()) return page.say('This lesson has no autograd graph.');
      if (address && !isIn(graph().collapsed, address) && isIn(graph().expanded, address)) all.checked = true;
      node.showModal();
      draw(address);
    },
  };
}

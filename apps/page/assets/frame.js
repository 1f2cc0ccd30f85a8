// The frame around a step: the bar above with its buttons, the list of steps, the slider below, the windows. Returns
// what the page needs later: main, stage (the step's place), buttons, toContents, command.
function frameOf(page, root) {
  const {lesson, command: line} = page.recorded;
  document.title = `${lesson.title} – glassgrad`;
  const lens = svgEl('svg', {viewBox: '0 0 18 18', width: 16, height: 16, 'aria-hidden': 'true'},
    svgEl('path', {d: 'M12 7.5a4.5 4.5 0 1 1-9 0a4.5 4.5 0 0 1 9 0zM11 11l4.5 4.5', fill: 'none', stroke: 'currentColor', 'stroke-width': 1.75}));
  const search = button([lens, el('span', {}, 'Search')], () => page.finder.open(),
    {class: 'search', 'aria-label': 'Search', title: 'Go to a step, or search (/)'});
  const buttons = {
    turn: button('Backward', () => page.turnOver(),
      {'aria-pressed': 'false', title: 'Turn over: forward, backward (B)'}),
    picture: button('Map', () => page.picture.open(page.cell?.address), {title: 'All tensors of the lesson, and you (w)'}),
    predict: button('Predict', () => page.switchPredict(),
      {'aria-pressed': String(page.predict.isOn), title: 'Ask before a step is shown'}),
    settings: button('Settings', () => page.settings.open(), {title: 'Tokens, seed, heads (s)'}),
  };
  buttons.picture.hidden = !page.picture.exists;
  const toContents = button('☰ Steps', () => page.toggleContents(),
    {class: 'to-contents', 'aria-controls': 'contents', 'aria-expanded': 'false'});
  const stage = el('div.stage'), command = el('code', {}, line);
  const main = el('main', {id: 'main', tabindex: -1, onclick: () => page.toggleContents(false)},
    page.proof.alarm, page.whatIf.node, page.message, page.busy, page.map.node, stage,
    el('footer.colophon', {}, page.proof.note, el('p', {}, 'In a terminal: ', command)));
  const skip = el('a.skip', {href: '#main', onclick: event => {
    event.preventDefault();
    page.focusHeading();
  }}, 'To the step');
  root.replaceChildren(skip,
    el('header.bar', {}, toContents,
      el('div.brand', {}, page.lesson.onward.logo(), el('h1', {}, lesson.title)), search,
      el('div.tools', {role: 'group', 'aria-label': 'Views'}, Object.values(buttons), themeButton(),
        button('?', () => page.help.open(), {'aria-label': 'Help', title: 'Help (?)'}))),
    el('div.body', {}, page.contents.node, main, page.panel.place),
    el('footer.bar', {}, page.slider.node), page.live,
    page.finder.node, page.settings.node, page.picture.node, page.help.node);
  return {main, stage, buttons, toContents, command};
}

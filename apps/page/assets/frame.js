// The frame around a step: the bar above with its buttons, the list of steps, the slider below, the windows. Returns
// what the page needs later: main, stage (the step's place), buttons, toContents, command.
function frameOf(page, root) {
  const {lesson, command: line} = page.recorded;
  document.title = `${lesson.title} – glassgrad`;
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
  const main = el('main', {id: 'main', tabindex: -1}, page.proof.alarm, page.whatIf.node, page.message, page.busy, page.map.node, stage,
    el('footer.colophon', {}, page.proof.note, el('p', {}, 'In a terminal: ', command)));
  const skip = el('a.skip', {href: '#main', onclick: event => {
    event.preventDefault();
    page.focusHeading();
  }}, 'To the step');
  root.replaceChildren(skip,
    el('header.bar', {}, toContents,
      el('div.brand', {}, page.lesson.onward.logo(), el('h1', {}, lesson.title)),
      el('div.tools', {role: 'group', 'aria-label': 'Views'}, Object.values(buttons), themeButton(),
        button('?', () => page.help.open(), {'aria-label': 'Help', title: 'Help (?)'}))),
    el('div.body', {}, page.contents.node, main),
    el('footer.bar', {}, page.slider.node), page.live,
    page.finder.node, page.settings.node, page.picture.node, page.help.node);
  return {main, stage, buttons, toContents, command};
}

// The list of steps, by section.
function contentsOf(page) {
  const list = el('div.sections');
  const node = el('nav.contents', {id: 'contents', 'aria-label': 'Steps'},
    button('×', () => page.toggleContents(false), {class: 'close', 'aria-label': 'Close the list of steps'}), list);
  let links = new Map(), listed = '', marked = null;

  // The list is one stop for Tab, however many steps there are; arrows go from link to link.
  node.addEventListener('keydown', event => {
    const all = [...links.values()], at = all.indexOf(event.target);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1}[event.key];
    if (at < 0 || to === undefined) return;
    all[to]?.focus();
    event.preventDefault();
    event.stopPropagation();
  });

  function section(title, steps) {
    return [title && el('h2', {}, title), el('ol', {role: 'list'}, steps.map(step => {
      const link = linkTo(page, step.id,
        [el('span.number', {}, step.place), el('span.title', {}, breakable(step.title))]);
      link.tabIndex = -1;
      links.set(step.id, link);
      return el('li', {class: step.inside ? 'inside' : null}, link);
    }))];
  }

  // Marks the steps where a changed number has changed something.
  function markTouched() {
    const {lesson} = page;
    for (const step of lesson.lists.forward) {
      const link = links.get(step.id), mark = link?.querySelector('.mark');
      if (!link || Boolean(mark) === lesson.isTouched(step)) continue;
      if (mark) mark.remove();
      else link.append(el('span.mark', {}, el('span', {'aria-hidden': 'true'}, '▲'), unseen(' changed')));
    }
  }

  function partsOf(lesson, steps) {
    links = new Map();
    marked = null;
    const parts = [];
    if (lesson.side !== 'backward' && lesson.lists.given.length)
      parts.push(section('', [{...lesson.lists.given[0], place: ''}]));
    let group = [];
    steps.forEach((step, i) => {
      group.push(step);
      if (i + 1 < steps.length && steps[i + 1].section === step.section) return;
      parts.push(section(step.section && `Section ${step.section}`, group));
      group = [];
    });
    return parts.flat(Infinity).filter(Boolean);
  }

  return {
    node,
    // Called after a new run, and when the side changes.
    renew() {
      const {lesson} = page;
      const steps = lesson.side === 'backward' ? lesson.lists.backward : lesson.lists.forward;
      const names = JSON.stringify([lesson.side === 'backward', steps.map(step => [step.id, step.title])]);
      if (names !== listed) list.replaceChildren(...partsOf(lesson, steps));
      listed = names;
      markTouched();
    },
    mark(id) {
      if (id === marked) return;
      marked = id;
      links.forEach((link, other) => {
        if (other === id) link.setAttribute('aria-current', 'step');
        else link.removeAttribute('aria-current');
        link.tabIndex = other === id ? 0 : -1;
      });
      this.reveal();
    },
    // Only the list scrolls: scrollIntoView would move the page as well.
    reveal() {
      const link = links.get(marked);
      if (!link) return;
      const top = link.getBoundingClientRect().top - node.getBoundingClientRect().top;
      if (top < 0 || top > node.clientHeight - 60) node.scrollTop += top - node.clientHeight / 3;
    },
  };
}

// The list of steps, by section.
function contentsOf(page) {
  const list = el('div.sections');
  const node = el('nav.contents', {id: 'contents', 'aria-label': 'Steps'},
    button('×', () => page.toggleContents(false), {class: 'close', 'aria-label': 'Close the list of steps'}), list);
  let links = new Map();

  function section(title, steps) {
    return [title && el('h2', {}, title), el('ol', {role: 'list'}, steps.map(step => {
      const link = linkTo(page, step.id, [el('span.number', {}, step.number || ''),
        el('span.title', {}, step.title), page.lesson.isTouched(step) &&
        el('span.mark', {}, el('span', {'aria-hidden': 'true'}, '▲'), unseen(' changed'))]);
      links.set(step.id, link);
      return el('li', {}, link);
    }))];
  }

  return {
    node,
    // After another run, or on the other side.
    renew() {
      const {lesson} = page;
      links = new Map();
      const parts = [];
      if (lesson.side !== 'backward' && lesson.lists.given.length)
        parts.push(section('', [{...lesson.lists.given[0], number: ''}]));
      let group = [];
      const steps = lesson.side === 'backward' ? lesson.lists.backward : lesson.lists.forward;
      steps.forEach((step, i) => {
        group.push(step);
        if (i + 1 < steps.length && steps[i + 1].section === step.section) return;
        parts.push(section(step.section && `Section ${step.section}`, group));
        group = [];
      });
      list.replaceChildren(...parts.flat(Infinity).filter(Boolean));
    },
    mark(id) {
      links.forEach((link, other) => {
        if (other === id) link.setAttribute('aria-current', 'step');
        else link.removeAttribute('aria-current');
      });
      // Only the list scrolls: scrollIntoView would move the page as well.
      const link = links.get(id);
      if (!link) return;
      const top = link.getBoundingClientRect().top - node.getBoundingClientRect().top;
      if (top < 0 || top > node.clientHeight - 60) node.scrollTop += top - node.clientHeight / 3;
    },
  };
}

// Where a page leads: to the other pages of its site, or, where the file stands alone, to what one types in a terminal.
// data: {lesson: its id, site: whether the other pages are there, lessons: names of all, next: {title, minutes, command, page}}.
function onwardOf({lesson = null, site = false, lessons = [], next = null} = {}) {
  const link = (href, ...inside) => el('a', {href}, ...inside);
  // "journey.md#inputs" -> ["journey", "inputs"]
  const parsed = to => /^(?:([^#]*?)(?:\.md)?)(?:#(.*))?$/.exec(to).slice(1).map(part => part ?? '');

  return {
    // A link of a sentence. Words alone where it can lead nowhere.
    link(to, words) {
      const [name, place] = parsed(to), hash = place && hashOf(place);
      if (!name || name === lesson) return link(hash || '#', words);
      if (!site) return words;
      return link(lessons.includes(name) ? `${name}.html${hash}` : `../docs/${name}.html${hash}`, words);
    },
    // What shows in a terminal where a link of a sentence leads; null: the page does so itself, or nothing does.
    commandFor(to) {
      const [name, place] = parsed(to);
      if (site || name === lesson || !lessons.includes(name)) return null;
      return `glassgrad learn ${name}${place ? ` --from ${place}` : ''}`;
    },
    // The name in the bar above.
    logo: () => site ? el('a.logo', {href: '../index.html', title: 'All lessons and exercises'}, 'glassgrad') : el('span.logo', {}, 'glassgrad'),
    // Behind the last step.
    ending() {
      const minutes = next && ` (${next.minutes} minutes)`;
      if (!next && !lessons.length) return null;
      return el('nav.onward', {'aria-label': 'What comes next'},
        next && el('p', {}, 'Next: ', site ? link(next.page, next.title) : el('strong', {}, next.title), minutes,
          site ? '.' : [': type ', el('code', {}, next.command), ' in a terminal.']),
        site ? el('p', {}, link('../index.html', 'All lessons and exercises'))
          : lessons.length ? el('p', {}, el('code', {}, 'glassgrad learn'), ' in a terminal lists all lessons.') : null);
    },
  };
}

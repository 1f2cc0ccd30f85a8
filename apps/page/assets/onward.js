// The links that lead on from a page: to the other pages of its site, or, if the file stands alone, commands for a
// terminal.
// data: {lesson: its id, site: whether the other pages are there, lessons: names of all, next: {title, minutes,
// command, page}}.
function onwardOf({lesson = null, site = false, lessons = [], next = null} = {}) {
  const link = (href, ...inside) => el('a', {href}, ...inside);
  // "journey.md#inputs" -> ["journey", "inputs"]
  const parsed = to => /^(?:([^#]*?)(?:\.md)?)(?:#(.*))?$/.exec(to).slice(1).map(part => part ?? '');

  return {
    // Returns a link in a sentence; only its words if it can lead nowhere.
    link(to, words) {
      const [name, place] = parsed(to), hash = place && hashOf(place);
      if (!name || name === lesson) return link(hash || '#', words);
      if (!site) return words;
      return link(lessons.includes(name) ? `${name}.html${hash}` : `../docs/${name}.html${hash}`, words);
    },
    // Returns the command that shows a link's target in a terminal; null if the page shows it itself, or nothing does.
    commandFor(to) {
      const [name, place] = parsed(to);
      if (site || name === lesson || !lessons.includes(name)) return null;
      return `glassgrad learn ${name}${place ? ` --from ${place}` : ''}`;
    },
    // The name in the bar above.
    logo: () => site ? el('a.logo', {href: '../index.html', title: 'All lessons and exercises'}, 'glassgrad') : el('span.logo', {}, 'glassgrad'),
    // The links after the last step.
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

// Two texts side by side: which of their parts only one of them has.
const IS_PART = /\d+\.\d+|\w+|\s+|[^\w\s]/g;  // a number, a name, a sign: compared whole

const partsOf = text => text.match(IS_PART) ?? [];

// The parts of both, in order: [{part, state: 'same' | 'gone' | 'new'}], with as many of them the same as there can be.
// Parts are texts, or whatever `name` makes texts of; of those that are the same `now` has the one that is given.
function changesBetween(before, now, name = part => part) {
  const a = before.map(name), b = now.map(name);
  const same = Array.from({length: a.length + 1}, () => new Array(b.length + 1).fill(0));  // in what is left of both
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j)
      same[i][j] = a[i] === b[j] ? same[i + 1][j + 1] + 1 : Math.max(same[i + 1][j], same[i][j + 1]);
  }
  const all = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      all.push({part: now[j++], state: 'same'});
      ++i;
    } else if (j === b.length || (i < a.length && same[i + 1][j] >= same[i][j + 1])) {
      all.push({part: before[i++], state: 'gone'});
    } else {
      all.push({part: now[j++], state: 'new'});
    }
  }
  return all;
}

// The same for two texts, without what has `left` it ('gone' or 'new'): changed parts beside each other are one.
function changedText(before, now, left) {
  const all = [];
  for (const {part, state} of changesBetween(partsOf(before), partsOf(now))) {
    if (state === left) continue;
    if (state !== 'same' && all.at(-1)?.state === state) all.at(-1).part += part;
    else all.push({part, state});
  }
  return all;
}

// Gives the share of the longer text that both have, from 0 to 1.
function likeness(changes) {
  const count = state => changes.filter(one => one.state === state).length;
  return count('same') / Math.max(1, count('same') + Math.max(count('gone'), count('new')));
}

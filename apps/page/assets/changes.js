// Compares two texts: which parts are in only one of them.
const IS_PART = /\d+\.\d+|\w+|\s+|[^\w\s]/g;  // a number, a name, a sign: compared whole

const partsOf = text => text.match(IS_PART) ?? [];

// Returns the parts of both, in order: [{part, state: 'same' | 'gone' | 'new'}], with as many 'same' as possible.
// `name` turns a part into a text, if it is none; a part that is 'same' is taken from `now`.
function changesBetween(before, now, name = part => part) {
  const a = before.map(name), b = now.map(name);
  const same = Array.from({length: a.length + 1}, () => new Array(b.length + 1).fill(0));  // equal parts after i and j
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

// The same for two texts, without the parts in the state `left` ('gone' or 'new'). Changed parts beside each other are
// joined.
function changedText(before, now, left) {
  const all = [];
  for (const {part, state} of changesBetween(partsOf(before), partsOf(now))) {
    if (state === left) continue;
    if (state !== 'same' && all.at(-1)?.state === state) all.at(-1).part += part;
    else all.push({part, state});
  }
  return all;
}

// Returns the share of the longer text that both have, from 0 to 1.
function likeness(changes) {
  const count = state => changes.filter(one => one.state === state).length;
  return count('same') / Math.max(1, count('same') + Math.max(count('gone'), count('new')));
}

// A step's text: sentences with their marks and links, formulas; `lead` is what comes before the step's tensors. For a changed run the page also shows which sentences
// of the unchanged lesson no longer hold: the engine makes each sentence again, and leaves out a claim that is false
// now.
const ALIKE = 0.5;  // likeness of two versions of a sentence; below it they are different sentences

function proseOf(lesson, step, side) {
  const before = side === 'forward' ? lesson.stepBefore(step) : null;
  const ownLine = before && step.blocks?.some(block => block.edited && block.whose !== 'wrong');
  const stated = new Set(ownLine ? step.stated : []);
  const told = (step.prose ?? []).map((words, k) =>
    ({words: wordsIn(words), isStated: stated.has(k), isAfter: k >= step.lead}));
  const said = before ? toldAnew(before.prose.map(words => ({words: wordsIn(words)})), told) : told;
  const at = said.findIndex(one => one.isAfter), end = at < 0 ? said.length : at;
  return {lead: paragraphsOf(lesson, said.slice(0, end)), rest: [...paragraphsOf(lesson, said.slice(end)),
    step.formulas?.length ? el(ownLine ? 'div.formulas.stated' : 'div.formulas', {}, step.formulas.map(formulaOf)) : null,
    commandsOf(lesson, step.prose ?? []),
    ownLine && (stated.size || step.formulas?.length) ? el('p.whose', {}, 'A line of yours runs in this step. Text with dots below it was ' +
      'written for the lesson’s own line: nothing checks it.') : null]};
}

// The engine makes the markup of a formula, and lets no other markup through. A document of its own reads it, in which
// nothing could run.
function formulaOf({mathml}) {
  return el('p.formula', {}, new DOMParser().parseFromString(mathml, 'text/html').querySelector('math'));
}

// [{text, kind, link, state}], small enough to be compared.
function wordsIn(words) {
  return marked(words).flatMap(word => partsOf(word.text).map(text => ({...word, text, state: 'same'})));
}
const nameOf = ({text, kind, link}) => `${kind} ${link ?? ''} ${text}`;

// Returns the sentences of the run, and in their places the sentences of the unchanged lesson that the run no longer
// has. In a sentence that is mostly the same, the changed words are marked.
function toldAnew(before, now) {
  const whole = one => one.words.map(nameOf).join('|');
  const all = [];
  let gone = [];
  for (const {part, state} of changesBetween(before, now, whole)) {
    if (state === 'gone') {
      gone.push(part);
      continue;
    }
    const at = state === 'new' ? gone.findIndex(old => likeness(changesBetween(old.words, part.words, nameOf)) > ALIKE) : -1;
    all.push(...gone.splice(0, at < 0 && state === 'new' ? 0 : at < 0 ? gone.length : at).map(struck));
    const old = at < 0 ? null : gone.shift();
    const words = old ? changesBetween(old.words, part.words, nameOf).map(one => ({...one.part, state: one.state}))
      : part.words.map(word => ({...word, state}));
    all.push({...part, words});
  }
  return [...all, ...gone.map(struck)];
}
function struck(sentence) {
  return {words: sentence.words.map(word => ({...word, state: 'gone'})), isGone: true};
}

// Sentences form one paragraph; each point of a list has a line of its own.
function paragraphsOf(lesson, sentences) {
  const nodes = [];
  let last = null, wasPoint = null;
  for (const {words, isStated, isGone} of sentences) {
    const isPoint = words[0]?.text === '-' && words[1]?.text.startsWith(' ');
    const run = runsOf(lesson, isPoint ? words.slice(2) : words);
    const node = el(isPoint ? 'li' : 'span', {class: isStated ? 'stated' : null}, isGone && unseen('No longer holds: '), run);
    if (isPoint !== wasPoint) nodes.push(last = el(isPoint ? 'ul.prose.points' : 'p.prose'));
    else if (!isPoint) last.append(' ');
    last.append(node);
    wasPoint = isPoint;
  }
  return nodes;
}

// In a page that stands alone: the commands that show the other lessons' steps named in the sentences.
function commandsOf(lesson, prose) {
  const all = prose.flatMap(marked).filter(({link}) => link && lesson.onward.commandFor(link));
  return all.length ? el('p.whose', {}, 'In a terminal: ', all.map(({text, link}, k) =>
    [k ? '; ' : '', `“${text}” is `, el('code', {}, lesson.onward.commandFor(link))]), '.') : null;
}

// Joins words of one kind and one state into one element.
function runsOf(lesson, words) {
  const runs = [];
  for (const word of words) {
    const last = runs.at(-1);
    if (last && ['kind', 'link', 'state'].every(key => last[key] === word[key])) last.text += word.text;
    else runs.push({...word});
  }
  return runs.map(({text, kind, link, state}) => {
    const words = withMark(kind, link ? text : withLinks(lesson, text));
    const node = link ? lesson.onward.link(link, words) : words;
    return state === 'gone' ? el('del', {}, node) : state === 'new' ? el('ins', {}, node) : node;
  });
}

// Makes links of the steps that a sentence names. Keeps the minus of -0.5 on its line: a browser may break after it,
// and nobody should read 0.5.
function withLinks(lesson, text) {
  return text.split(/(\bbackward-\d+\b|(?<=\bstep )[\w.-]*\w|(?<=^|[\s(])-[\w.]+)/).map((part, i) => {
    if (i % 2 === 0) return part;
    if (part.startsWith('-')) return el('span.unbroken', {}, part);
    return lesson.find(part) || part.startsWith('backward-') ? el('a', {href: hashOf(part)}, part) : part;
  });
}

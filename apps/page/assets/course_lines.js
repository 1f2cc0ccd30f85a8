// The learner's lines, by exercise. The browser remembers them if it may; saved as a file, they have the format of the
// program's own file. file() and take(text) of such a file need the engine.
function courseLines(data) {
  const name = `build.${data.id}`, all = new Map();
  const ends = text => text.replace(/\s+$/, '');
  const linesOf = id => all.get(id) ?? {text: '', right: null};  // right: the text that was found right
  const isSolved = id => {
    const {text, right} = linesOf(id);
    return right !== null && ends(text) === ends(right);
  };
  let at = '';

  try {
    const kept = JSON.parse(remembered(name) ?? '{}');
    at = String(kept.at ?? '');
    for (const {id} of data.exercises) {
      const {text, right} = kept.lines?.[id] ?? {};
      if (typeof text === 'string') all.set(id, {text, right: typeof right === 'string' ? right : null});
    }
  } catch {
    // Ignore lines that cannot be parsed.
  }
  const save = () => remember(name, JSON.stringify({at, lines: Object.fromEntries(all)}));

  // Every answer under its heading, from which the engine makes the file.
  const rough = () => data.exercises.filter(({id}) => ends(linesOf(id).text)).map(({id}) =>
    `# == ${id}:${isSolved(id) ? ' [solved]' : ''}\n${linesOf(id).text}\n`).join('\n');

  return {
    text: id => linesOf(id).text,
    isSolved,
    solved: () => data.exercises.filter(({id}) => isSolved(id)).length,
    write(id, text) {
      all.set(id, {...linesOf(id), text});
      save();
    },
    isRight(id, text) {
      all.set(id, {...linesOf(id), right: text});
      save();
    },
    place: () => at,
    stay(id) {
      at = id;
      save();
    },
    rough,
    file: async () => (await engine.call('answers', rough())).file,
    async take(text) {
      for (const [id, answer] of Object.entries((await engine.call('answers', text)).answers))
        all.set(id, {text: answer.text, right: answer.solved ? answer.text : null});
      save();
    },
  };
}

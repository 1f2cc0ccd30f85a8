// A mask that falls over a tensor which masked_fill has made: its cells show the numbers that they had before, and row
// by row the mask comes down on them.
function maskOf(page, {entry, numbers, cell, node}) {
  const before = page.lesson.numbers({numbers: entry.before_mask});
  const columns = entry.shape.at(-1) ?? 1, rowCount = entry.shape.at(-2) ?? 1;
  const byRow = Array.from({length: rowCount}, () => []);
  before.exact.forEach((text, flat) => {
    if (text !== numbers.exact[flat]) byRow[Math.floor(flat / columns) % rowCount].push(flat);
  });
  const rows = byRow.map((flats, row) => ({row, flats})).filter(({flats}) => flats.length);
  if (!rows.length) return null;
  const heat = heatOf(before.values, entry.dtype), covers = new Map();
  const labels = entry.shape.length > 1 ? labelsOf(entry, entry.shape.length - 2, page.lesson.tokens) : ['0'];
  const many = (flats, verbs) => `${flats.length} ${flats.length === 1 ? `number ${verbs[0]}` : `numbers ${verbs[1]}`} ` +
    `${numbers.texts[flats[0]].trim()}.`;
  const player = playerOf({what: ' the mask', count: () => rows.length, draw, move, say, leave: () => player.show(0),
    perFrame: 900, lead: 900});

  function say(at) {
    if (!at) return player.isPlaying ? 'The numbers before the mask.' : '';
    if (at === rows.length && !player.isPlaying)
      return `The mask has fallen: ${many(rows.flatMap(row => row.flats), ['is', 'are'])}`;
    const {row, flats} = rows[at - 1];
    return `Row ${labels[row]}: ${many(flats, ['becomes', 'become'])}`;
  }
  function covered(flat) {
    const cover = coverOf(before.texts[flat]);
    paint(cover, before.values[flat], heat);
    return cover;
  }
  function draw(at) {
    const isOn = player.isPlaying || (at > 0 && at < rows.length);
    rows.forEach(({flats}, k) => flats.forEach(flat => {
      const td = cell(flat);
      covers.get(flat)?.remove();
      covers.delete(flat);
      td?.classList.toggle('fallen', isOn && k < at);
      if (!td || !isOn || k < at) return;
      covers.set(flat, covered(flat));
      td.append(covers.get(flat));
    }));
  }
  function move(to, duration) {
    for (const {flats} of rows.slice(player.at, to)) for (const flat of flats)
      covers.get(flat)?.animate({clipPath: ['inset(0)', 'inset(100% 0 0 0)']}, {duration, easing: 'ease-in', fill: 'both'});
  }

  player.show(0);
  return el('div.mask-play', {}, player.toggle, player.running, player.status);
}

// The panel of an opened number: what it is, its arithmetic, where it comes from and goes to.
const MOST_ADDRESSES = 12;

function cellPanel(page) {
  const body = el('div.cell-body');
  const node = el('section.cell-panel', {'data-opened': '', 'aria-label': 'An opened number', hidden: true}, body);
  const place = el('div.panel-place', {}, node,
    el('p.hint', {}, 'A number that you open stands here: what it is, its arithmetic, where it comes from.'));
  let trail = [];  // the addresses that led here

  function link(address, text = address) {
    const to = button(text, () => page.openCell(address, {follow: true}),
      {class: 'operand', title: address, 'data-address': address});
    for (const event of ['pointerenter', 'focus']) to.addEventListener(event, () => page.point(address));
    for (const event of ['pointerleave', 'blur']) to.addEventListener(event, () => page.point(null));
    return to;
  }

  // Lists the addresses that no table on the screen has: no line can lead to them.
  function elsewhere(title, addresses) {
    const all = [...new Set(addresses)], far = all.filter(address => !page.isOnScreen(address));
    if (!far.length) return null;
    if (far.length < all.length) title = `Also ${title.toLowerCase()}`;
    const rest = far.slice(MOST_ADDRESSES);
    return el('div.elsewhere', {}, el('h4', {}, title), el('ul', {role: 'list'},
      far.slice(0, MOST_ADDRESSES).map(address => el('li', {}, link(address))),
      rest.length ? el('li', {}, `and ${rest.length} more`) : null));
  }

  function show(cell) {
    const before = trail.at(-1);
    // "masked[2,1] 0.1703 -> 0.9000", if the reader has set this number.
    const own = page.lesson.data.differences?.set.find(text => text.startsWith(`${cell.address} `));
    body.replaceChildren(...[
      el('header', {}, before ? button('‹', back, {class: 'quiet', title: `Back to ${before}`,
        'aria-label': `Back to ${before}`}) : null,
      el('h3', {tabindex: -1}, el('code', {}, cell.name ?? cell.address)),
      button('×', () => page.closeCell(), {class: 'close', 'aria-label': 'Close the number', title: 'Close (Esc)'})),
      cell.what && el('p.what', {}, cell.what),
      cell.value !== undefined && el('p.value', {}, el('strong', {}, cell.value),
        cell.exact && cell.exact !== cell.value ? el('span.exact', {title: 'All its digits'}, cell.exact) : null),
      cell.rule && el('p.rule', {}, cell.op ? `${cell.op}: ${cell.rule}` : cell.rule),
      cell.waits,
      cell.error && el('p.missing', {}, cell.error),
      cell.command && el('pre.command', {}, el('code', {}, cell.command)),
      own && el('p.what', {}, `Set by you:${own.slice(cell.address.length).replaceAll('->', '→')}. `, button('Take back', () => page.whatIf.takeBack())),
      page.product.viewFor(own ? {} : cell),
      page.softmax.viewFor(own ? {} : cell),
      !own && cell.lines?.length && el('div.arithmetic', {tabindex: 0, role: 'group', 'aria-label': 'Arithmetic'},
        cell.lines.map(pieces => el('div.row', {}, pieces.map(piece =>
          piece.a ? link(piece.a, piece.t) : piece.t), '\n'))),
      el('div.actions', {}, !cell.waits && page.whatIf.editorFor(cell),
        page.gradientOf(cell) && button(page.lesson.side === 'backward' ? 'Its number (B)' : 'Its gradient (B)',
          () => page.turnOver()),
        page.picture.has(cell.address) && button('On the map', () => page.picture.open(cell.address))),
      elsewhere('Comes from', cell.from ?? []), elsewhere('Goes to', cell.to ?? []),
    ].flat().filter(Boolean));
    node.dataset.opened = cell.address;
    if (cell.waits) node.dataset.waits = '';
    else delete node.dataset.waits;
    node.hidden = false;
    leaveRoom(true);
  }
  // Under a panel at the lower edge, the page can be scrolled until its end is in sight. The room stays when the panel
  // is closed, so that nothing moves.
  function leaveRoom(is) {
    document.body.classList.toggle('has-room', is);
  }

  function back() {
    const before = trail.pop();
    if (before) page.openCell(before, {keepTrail: true});
  }

  return {
    node, place, show, back, leaveRoom,
    get hasTrail() { return trail.length > 0; },
    remember(address) { trail.push(address); },
    forget() { trail = []; },
    hide() { node.hidden = true; trail = []; },
    focus() { body.querySelector('h3')?.focus({preventScroll: true}); },
  };
}

// Returns the value that the page has for a number, and the arithmetic if it is stored. Until the engine has the
// arithmetic, `waits` takes its place; without an engine, a command that shows the number.
function knownCell(page, address) {
  const stored = page.lesson.data.cells?.[address];
  if (stored) return stored;
  const parsed = parseAddress(address), found = parsed && page.lesson.tensorAt(parsed);
  const flat = found && parsed.index ? flatIndex(found.entry.shape, parsed.index) : found?.entry.shape.length === 0 ? 0 : -1;
  const known = {name: address.slice(address.indexOf(':') + 1), value: flat >= 0 ? found.numbers.texts[flat] : undefined};
  if (page.engine.isOn) return known;
  const {waits} = page.engine;
  return waits ? {...known, waits} : {...known, error: `This page does not have the arithmetic of this number: ${page.engine.why} This shows it:`,
    command: `glassgrad why ${page.lesson.data.lesson.id} '${address}'`};
}

// Draws lines from an opened cell to the cells that it was computed from and to those computed from it, as far as they
// are on the screen. Arrows point from operand to result.
const MOST_LINES = 60;

function linesOver(area) {
  const drawing = svgEl('svg', {class: 'lines', 'aria-hidden': 'true'});
  let ends = null, asked = 0;
  area.append(drawing);

  function isInSight(td) {
    if (!td?.isConnected) return false;
    const box = td.closest('.scroll').getBoundingClientRect(), cell = td.getBoundingClientRect();
    const x = cell.left + cell.width / 2, y = cell.top + cell.height / 2;
    return cell.width > 0 && x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  }

  function drawn(from, to, kind) {
    const origin = area.getBoundingClientRect(), a = from.getBoundingClientRect(), b = to.getBoundingClientRect();
    const middle = box => ({x: box.left + box.width / 2 - origin.left, y: box.top + box.height / 2 - origin.top});
    const p = middle(a), q = middle(b);
    // A line goes up or down between tables, sideways within a row of tables.
    const upright = Math.abs(q.y - p.y) >= a.height;
    if (upright) {
      const down = Math.sign(q.y - p.y);
      p.y += down * a.height / 2;
      q.y -= down * b.height / 2;
    } else {
      const right = Math.sign(q.x - p.x);
      p.x += right * a.width / 2;
      q.x -= right * b.width / 2;
    }
    const bend = upright ? [p.x, (p.y + q.y) / 2, q.x, (p.y + q.y) / 2] : [(p.x + q.x) / 2, p.y, (p.x + q.x) / 2, q.y];
    const angle = Math.atan2(q.y - bend[3], q.x - bend[2]), tip = turn =>
      `${(q.x - 7 * Math.cos(angle + turn)).toFixed(1)} ${(q.y - 7 * Math.sin(angle + turn)).toFixed(1)}`;
    const numbers = [p.x, p.y, ...bend, q.x, q.y].map(v => v.toFixed(1));
    return [svgEl('path', {class: kind, d: `M${numbers[0]} ${numbers[1]}C${numbers.slice(2).join(' ')}`}),
      svgEl('path', {class: `${kind} tip`, d: `M${tip(0.45)}L${q.x.toFixed(1)} ${q.y.toFixed(1)}L${tip(-0.45)}`})];
  }

  function draw() {
    asked = 0;
    drawing.replaceChildren();
    if (!ends || !isInSight(ends.cell)) return;
    drawing.append(
      ...ends.from.filter(isInSight).slice(0, MOST_LINES).flatMap(td => drawn(td, ends.cell, 'from')),
      ...ends.to.filter(isInSight).slice(0, MOST_LINES).flatMap(td => drawn(ends.cell, td, 'to')));
  }
  // Draws at most once per frame, whatever scrolls.
  function redraw() {
    asked ||= requestAnimationFrame(draw);
  }
  const watch = new ResizeObserver(redraw);
  watch.observe(area);
  area.addEventListener('scroll', redraw, true);

  return {
    isInSight,
    show(cell, from, to) {
      ends = cell ? {cell, from, to} : null;
      redraw();
    },
  };
}

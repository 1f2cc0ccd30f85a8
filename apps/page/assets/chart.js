// Draws a vector over steps, such as the loss of a training, as a line.
const SHORTEST_CHART = 12;  // fewer numbers say more than a line does
const CHART = {width: 640, height: 200, left: 44, right: 8, top: 12, bottom: 26};

// Returns null for any other tensor.
function chartOf(entry, {values, texts}) {
  if (entry.axes?.length !== 1 || entry.axes[0] !== 'step' || values.length < SHORTEST_CHART) return null;
  const finite = values.filter(Number.isFinite);
  if (!finite.length) return null;
  const {width, height, left, right, top, bottom} = CHART;
  const low = Math.min(0, ...finite), high = Math.max(...finite), last = values.length - 1;
  const x = step => left + (width - left - right) * step / last;
  const y = value => height - bottom - (height - top - bottom) * (high > low ? (value - low) / (high - low) : 0);
  let line = '', pen = 'M';
  values.forEach((value, step) => {
    if (Number.isFinite(value)) line += `${pen}${x(step).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = Number.isFinite(value) ? 'L' : 'M';
  });
  const label = (text, at, anchor) => svgEl('text', {...at, 'text-anchor': anchor}, text);
  return svgEl('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `${entry.name} over the steps: from ${texts[0]} to ${texts[last]}`},
  svgEl('path', {class: 'axes', d: `M${left} ${top}V${height - bottom}H${width - right}`}),
  svgEl('path', {class: 'line', d: line}),
  label(high.toFixed(2), {x: left - 6, y: top + 8}, 'end'), label(low.toFixed(low ? 2 : 0), {x: left - 6, y: height - bottom}, 'end'),
  label('step 0', {x: left, y: height - 6}, 'start'), label(String(last), {x: width - right, y: height - 6}, 'end'));
}

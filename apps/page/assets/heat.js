// How strongly a cell is coloured. The number is always there; colour only helps the eye to find it. Negative
// and positive numbers have two hues that nobody's colour blindness mixes up, and both get stronger with size.
function heatOf(values, dtype) {
  const numbers = values.filter(Number.isFinite);
  // Ids count something; a larger one is not more.
  const largest = /int/.test(dtype ?? '') ? 0 : numbers.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  return {
    share(value) {
      if (value === true) return 1;
      return largest > 0 && Number.isFinite(value) ? Math.abs(value) / largest : 0;
    },
  };
}

// The class and the strength that the style sheet paints a cell with.
function paint(td, value, heat) {
  if (value === -Infinity) td.classList.add('masked');
  else if (Number.isNaN(value) || value === Infinity) td.classList.add('broken');
  else if (value < 0) td.classList.add('negative');
  const share = heat.share(value);
  if (share > 0) td.style.setProperty('--heat', `${(100 * share).toFixed(1)}%`);
}

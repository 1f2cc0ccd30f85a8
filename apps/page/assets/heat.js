// Returns how strongly a cell is coloured. Colour only helps the eye, since the number is always visible. Negative and
// positive numbers have two hues that no colour blindness confuses; both get stronger with size.
function heatOf(values, dtype) {
  const numbers = values.filter(Number.isFinite);
  // Ids are labels: a larger id is not more of anything.
  const largest = /int/.test(dtype ?? '') ? 0 : numbers.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  return {
    share(value) {
      if (value === true) return 1;
      return largest > 0 && Number.isFinite(value) ? Math.abs(value) / largest : 0;
    },
  };
}

// Sets the class and the strength with which the style sheet colours a cell.
function paint(td, value, heat) {
  if (value === -Infinity) td.classList.add('masked');
  else if (Number.isNaN(value) || value === Infinity) td.classList.add('broken');
  else if (value < 0) td.classList.add('negative');
  const share = heat.share(value);
  if (share > 0) td.style.setProperty('--heat', `${(100 * share).toFixed(1)}%`);
}

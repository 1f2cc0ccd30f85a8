// STEP:TENSOR[i,j], as the terminal prints and accepts it. A step alone and a tensor alone are addresses too. A tensor's
// name may have brackets of its own: given:matrices['up'][0,3].
function parseAddress(text) {
  const match = /^([^:[\]]+)(?::(.+?))?(?:\[([\d,\s]*)\])?$/.exec(text.trim());
  if (!match || (match[3] !== undefined && !match[2])) return null;
  const index = match[3] === undefined ? null : match[3].split(',').filter(part => part.trim() !== '').map(Number);
  return {step: match[1], tensor: match[2] ?? null, index};
}

// "[i,j]" of an address, and the address or name without it.
const cellIn = text => /\[[\d,]*\]$/.exec(text)?.[0] ?? '';
const withoutCell = text => text.slice(0, text.length - cellIn(text).length);

function addressOf(step, tensor, index) {
  return `${step}:${tensor}${index.length ? `[${index.join(',')}]` : ''}`;
}

// Returns the cell's position in a flat list of the tensor's cells; -1 if the tensor has no such cell.
function flatIndex(shape, index) {
  if (index.length !== shape.length || index.some((i, dim) => i >= shape[dim])) return -1;
  return index.reduce((flat, i, dim) => flat * shape[dim] + i, 0);
}

function indexAt(shape, flat) {
  const index = [];
  for (let dim = shape.length - 1; dim >= 0; --dim) {
    index.unshift(flat % shape[dim]);
    flat = Math.floor(flat / shape[dim]);
  }
  return index;
}

const count = shape => shape.reduce((product, size) => product * size, 1);

// Parses the part of the URL after #; null if it is no address.
function addressInBar() {
  try {
    return parseAddress(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return null;
  }
}

function hashOf(address) {
  return '#' + address.replace(/[^\w:.,[\]@()-]/g, encodeURIComponent);
}

// A link within a sentence, to a step, a tensor or a number.
function linkTo(page, address, text = address) {
  return el('a', {href: hashOf(address), onclick: event => {
    event.preventDefault();
    page.goTo(address);
  }}, text);
}

// Uses replaceState, so that Back leaves the lesson instead of going through all its steps.
function writeAddress(address) {
  const hash = hashOf(address);
  if (location.hash === hash) return;
  try {
    history.replaceState(null, '', hash);
  } catch {
    // A page in a frame may have no address of its own.
  }
}

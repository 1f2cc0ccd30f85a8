// Texts for a tensor's dimensions: "2 batch × 6 queries × 6 keys", and the labels of its rows and columns. Made from
// "(B=2 batch, T=6 queries, d_out=2)": a letter that a word explains is left out.
function shapeText(entry) {
  if (!entry.shape.length) return 'one number';
  return (entry.shape_text || `(${entry.shape.join(', ')})`).slice(1, -1).split(', ')
    .map(part => part.replace(/^\w+=(?=\S+ )/, '').replace(/,$/, '')).join(' × ');
}

// The tokens' names where the elements belong to tokens, numbers elsewhere.
function labelsOf(entry, dim, tokens) {
  return Array.from({length: entry.shape[dim]}, (_, i) => entry.named?.includes(dim) ? tokens[i] : String(i));
}

// "batch 0, head 1": which of the matrices of a tensor with more than two dimensions.
function blockLabel(entry, index) {
  return index.map((i, dim) => entry.axes?.[dim] ? `${entry.axes[dim]} ${i}` : `[${i}]`).join(', ');
}

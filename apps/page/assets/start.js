// The data follow the first step in the file, so that the browser paints the step before it reads the data. The site
// has them packed: base64 of a gzip.
async function dataOf({type, textContent: text}) {
  if (type === 'application/json') return JSON.parse(text);
  const zipped = new Blob([Uint8Array.from(atob(text), c => c.charCodeAt(0))]);
  return new Response(zipped.stream().pipeThrough(new DecompressionStream('gzip'))).json();
}
requestAnimationFrame(() => setTimeout(async () => {
  const data = await dataOf(document.getElementById('data'));
  PAGES[data.kind](data, document.getElementById('page'));
  document.documentElement.dataset.ready = 'yes';
}));

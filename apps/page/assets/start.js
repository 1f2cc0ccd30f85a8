// The data follow the first step in the file, so that the browser paints the step before it reads the data.
requestAnimationFrame(() => setTimeout(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  PAGES[data.kind](data, document.getElementById('page'));
  document.documentElement.dataset.ready = 'yes';
}));

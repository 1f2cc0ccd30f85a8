// The data is behind the first step in the file, so that this is painted before anything is read.
requestAnimationFrame(() => setTimeout(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  PAGES[data.kind](data, document.getElementById('page'));
  document.documentElement.dataset.ready = 'yes';
}));

// Dark or light: the system's choice until the reader makes one.
const THEMES = ['auto', 'light', 'dark'];
const THEME_NAMES = {auto: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark'};
const THEME_SHAPES = {auto: 'M9 2a7 7 0 0 0 0 14z', light: '', dark: 'M9 2a7 7 0 0 0 0 14a7 7 0 0 0 0-14z'};

function themeButton() {
  const shape = svgEl('path', {fill: 'currentColor'});
  const icon = svgEl('svg', {viewBox: '0 0 18 18', width: 18, height: 18, 'aria-hidden': 'true'},
    svgEl('circle', {cx: 9, cy: 9, r: 7, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.75}), shape);
  const words = unseen('');
  const node = button([icon, words], () => choose(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]),
    {class: 'theme'});
  let theme = 'auto';
  function choose(next) {
    theme = next;
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    shape.setAttribute('d', THEME_SHAPES[theme]);
    words.textContent = THEME_NAMES[theme];
    node.title = THEME_NAMES[theme];
    remember('theme', theme);
  }
  const before = remembered('theme');
  choose(THEMES.includes(before) ? before : 'auto');
  return node;
}

// Dark or light: the system's choice until the reader makes one.
const THEMES = ['auto', 'light', 'dark'];
const THEME_NAMES = {auto: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark'};

function themeButton() {
  const node = button('', () => choose(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]), {class: 'theme'});
  let theme = 'auto';
  function choose(next) {
    theme = next;
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    node.textContent = THEME_NAMES[theme];
    node.title = 'Light, dark, or as the system has it';
    remember('theme', theme);
  }
  const before = remembered('theme');
  choose(THEMES.includes(before) ? before : 'auto');
  return node;
}

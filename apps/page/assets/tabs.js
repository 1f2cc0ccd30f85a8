// Tabs, one panel at a time; a panel is made when it is first shown.
let tabsMade = 0;

function tabsOf(labels, panelOf) {
  const id = `tabs-${++tabsMade}`, shown = new Map();
  const panels = el('div', {role: 'tabpanel', id: `${id}-panel`, 'aria-labelledby': `${id}-0`});
  const tabs = labels.map((label, number) => button(label, () => choose(number), {role: 'tab', id: `${id}-${number}`,
    'aria-controls': panels.id, 'aria-selected': 'false', tabindex: -1}));
  const list = el('div.tabs', {role: 'tablist'}, tabs);
  list.addEventListener('keydown', event => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by) return;
    const next = (tabs.indexOf(event.target) + by + tabs.length) % tabs.length;
    choose(next);
    tabs[next].focus();
    event.preventDefault();
    event.stopPropagation();
  });

  function choose(number) {
    tabs.forEach((tab, other) => {
      tab.setAttribute('aria-selected', String(other === number));
      tab.tabIndex = other === number ? 0 : -1;
    });
    panels.setAttribute('aria-labelledby', tabs[number].id);
    if (!shown.has(number)) {
      shown.set(number, panelOf(number));
      panels.append(shown.get(number));
    }
    shown.forEach((panel, other) => { panel.hidden = other !== number; });
  }
  choose(0);
  return {node: el('div', {}, list, panels), choose};
}

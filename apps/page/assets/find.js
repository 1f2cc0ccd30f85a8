// Go to a step, or search: by number, id, section, title, a tensor's name, or any text of the step.
function finder(page) {
  const input = el('input', {type: 'search', id: 'find-input', autocomplete: 'off', spellcheck: 'false',
    placeholder: 'softmax, 3.5.1, 40, attn_weights'});
  const status = el('p.status', {role: 'status'});
  const results = el('ol.results', {role: 'list'});
  const node = dialog('find', 'Go to a step', fieldsOf('div.form', goToFirst,
    el('label', {for: input.id}, 'Number, id, section, tensor or words'), input), status, results);
  let matches = [];
  input.addEventListener('input', look);

  // Returns how well a step matches, 0 for not at all: exact numbers, ids and sections first, then titles, tensors,
  // words.
  function fit(step, words) {
    if (step.place === words || step.id.toLowerCase() === words || step.section === words) return 4;
    if (step.title.toLowerCase().includes(words) || step.id.toLowerCase().includes(words)) return 3;
    if (step.entries.some(entry => entry.name?.toLowerCase().includes(words))) return 2;
    const said = [...(step.prose ?? []).map(plainText), ...(step.formulas ?? []).map(one => one.text), ...step.code ?? []];
    return said.join(' ').toLowerCase().includes(words) ? 1 : 0;
  }
  function look() {
    const words = input.value.trim().toLowerCase();
    const steps = page.lesson.side === 'backward' ? page.lesson.lists.backward : page.lesson.lists.forward;
    matches = words ? steps.map(step => ({step, fit: fit(step, words)})).filter(match => match.fit)
      .sort((a, b) => b.fit - a.fit || a.step.number - b.step.number) : [];
    if (!words) status.textContent = '';
    else if (matches.length) status.textContent = `${matches.length} of ${steps.length} steps`;
    else status.textContent = `No step has “${input.value.trim()}”.`;
    results.replaceChildren(...matches.slice(0, 40).map(({step}) => el('li', {}, button([
      el('span.number', {}, step.place), step.title], () => choose(step)))));
  }
  function choose(step) {
    node.close();
    page.goTo(step.id);
  }
  function goToFirst() {
    const address = parseAddress(input.value);
    if (matches.length) choose(matches[0].step);
    else if (address && page.lesson.find(address.step)) {
      node.close();
      page.goTo(input.value.trim());
    }
  }

  return {
    node,
    open() {
      input.value = '';
      look();
      node.showModal();
      input.focus();
    },
  };
}

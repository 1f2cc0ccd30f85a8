// The lesson's settings: tokens, seed, sizes. A different choice runs the lesson again.
function settingsOf(page) {
  const fields = el('div.fields'), problem = el('p.problem', {role: 'alert'});
  const off = el('p.off', {});
  const place = el('div.running');
  const form = fieldsOf('div.form', run, fields, problem, place, el('div.actions', {}, button('Run the lesson', run, {class: 'primary'}),
    button('As the lesson has them', () => fillIn(setting => setting.default))));
  const node = dialog('settings', 'Settings', off, form);
  const inputs = new Map();

  function make() {
    const settings = page.lesson.data.settings ?? [];
    inputs.clear();
    fields.replaceChildren(...settings.map(setting => {
      const id = `setting${setting.flag}`;
      const input = el('input', {id, type: 'text', autocomplete: 'off', spellcheck: 'false',
        inputmode: {integer: 'numeric', number: 'decimal'}[setting.kind], 'aria-describedby': `${id}-help`});
      inputs.set(setting.flag, input);
      return el('div.field', {}, el('label', {for: id}, el('code', {}, setting.flag.slice(2))), input,
        el('p.help', {id: `${id}-help`}, setting.help));
    }));
    if (!settings.length) fields.append(el('p', {}, 'This lesson has no settings.'));
    fillIn(setting => setting.value);
  }
  function fillIn(valueOf) {
    for (const setting of page.lesson.data.settings ?? []) inputs.get(setting.flag).value = valueOf(setting);
  }

  async function run() {
    const flags = {...page.recorded.flags};
    for (const {flag, default: usual} of page.lesson.data.settings) {
      const value = inputs.get(flag).value.trim();
      delete flags[flag];
      if (value !== usual) flags[flag] = value;
    }
    problem.textContent = '';
    try {
      await page.open(flags, place);
      node.close();
    } catch (error) {
      problem.textContent = inStepsWords(page.lesson, error.message);
    }
  }

  return {
    node,
    open() {
      make();
      problem.textContent = '';
      const isOn = page.engine.canRun;
      off.textContent = isOn ? '' : `Editing is off in this page: ${page.engine.why}`;
      off.hidden = isOn;
      for (const input of [...inputs.values(), ...form.querySelectorAll('.actions button')]) input.disabled = !isOn;
      node.showModal();
      if (isOn) fields.querySelector('input')?.focus();
    },
  };
}

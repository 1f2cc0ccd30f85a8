// The page of a lesson: it holds the parts together. Each part gets `page` and calls what is below by name.
PAGES.lesson = (data, root) => new LessonPage(data, root);

function noEngine(why) {
  return {isOn: false, canRun: false, why, call: () => { throw new Error(why); }};
}

class LessonPage {
  constructor(data, root) {
    this.recorded = data;
    this.lesson = new Lesson(data);
    this.engine = noEngine('its engine is still starting.');
    this.cell = null;  // the opened number
    this.asPyTorch = false;
    this.wholeBatch = false;  // else the first sentence stands for all
    this.live = el('p.unseen', {role: 'status', 'aria-live': 'polite'});
    this.message = el('p.message', {hidden: true});
    this.whatIf = whatIfOf(this);
    this.graph = graphOf(this);
    this.predict = predictOf(this);
    this.settings = settingsOf(this);
    this.finder = finder(this);
    this.proof = proofOf(this);
    this.help = helpOf();
    this.contents = contentsOf(this);
    this.product = productOf(this);
    this.panel = cellPanel(this);
    this.slider = sliderOf('Steps', at => this.goToNumber(at));
    Object.assign(this, frameOf(this, root));
    keysOf(this.keys());
    printAll(this);
    window.addEventListener('hashchange', () => this.readAddress());
    this.contents.renew();
    this.whatIf.renew();
    if (!this.readAddress()) this.show();
    this.startEngine();
  }

  // ---- the step
  show() {
    const {lesson} = this, {step} = lesson;
    this.contents.mark(step.id);
    const asked = this.predict.viewFor(step);
    this.view = asked ?? stepView(lesson, step, lesson.side, entry => this.hooks(entry),
      button('As text', () => this.switchText(),
        {'aria-pressed': String(this.asPyTorch), title: 'Tensors as PyTorch prints them (t)'}),
      lesson.side === 'forward' ? this.whatIf.edits : null);
    this.stage.replaceChildren(this.view.node);
    if (!asked) {
      this.view.aside.prepend(this.panel.node);
      this.lines = linesOver(this.view.tensors);
    }
    // What is given stands before the first step, so the slider goes from there to it.
    if (lesson.side === 'given') this.slider.set(0, lesson.lists.forward.length, step.title, 'Start');
    else this.slider.set(lesson.at, lesson.steps.length - 1, step.title, `${lesson.at + 1} / ${lesson.steps.length}`);
    this.buttons.turn.setAttribute('aria-pressed', String(lesson.side === 'backward'));
    document.body.dataset.side = lesson.side;
  }

  hooks(entry) {
    const {lesson} = this, {id} = lesson.step;
    const neighbour = (figure, by) => this.view.figures[this.view.figures.indexOf(figure) + by];
    return {
      tokens: lesson.tokens, step: id, asPyTorch: this.asPyTorch, wholeBatch: this.wholeBatch, before: lesson.textsBefore(lesson.step, entry),
      open: (figure, flat) => this.openCell(addressOf(id, figure.entry.name, indexAt(figure.entry.shape, flat))),
      leave: (figure, by, column) => neighbour(figure, by)?.focusCell(by > 0 ? 0 : -1, column),
      unfold: this.engine.isOn ? one => this.unfold(one) : null,
    };
  }

  goToPlace(place) {
    const turned = place.side !== this.lesson.side;
    Object.assign(this.lesson, place);
    this.closeCell({quiet: true});
    this.message.hidden = true;
    if (turned) this.contents.renew();
    this.toggleContents(false);
    const focusWasHere = this.stage.contains(document.activeElement);
    this.show();
    window.scrollTo(0, 0);
    this.say(`${placeOf(this.lesson, this.lesson.step, this.lesson.side)}: ${this.lesson.step.title}`, {unseen: true});
    if (focusWasHere) this.focusHeading();
  }

  goToNumber(at) {
    const {lesson} = this;
    const isGiven = lesson.side === 'given', side = isGiven ? 'forward' : lesson.side;
    if (isGiven) --at;
    if (at < 0) return this.say(isGiven ? 'Nothing comes before this.' : 'This is the first step.');
    if (at >= lesson.lists[side].length) return this.say('This is the last step.');
    this.goToPlace({side, at});
    writeAddress(lesson.step.id);
  }

  next(by) {
    this.goToNumber(this.lesson.at + by);
  }

  // A step, a tensor or a number. false: there is none.
  goTo(text) {
    const address = parseAddress(text);
    if (!address) return false;
    this.message.hidden = true;
    const place = this.lesson.find(address.step) ?? (this.hasToGoBackward(address) && this.lesson.find(address.step));
    if (!place) return false;
    const isHere = this.view && place.side === this.lesson.side && place.at === this.lesson.at;
    if (!isHere || this.predict.isOpen) this.goToPlace(place);
    if (!address.tensor) {
      writeAddress(address.step);
      return true;
    }
    const figure = this.view.figure(address.tensor);
    if (!figure) return Boolean(writeAddress(address.step)) || true;
    const {shape} = figure.entry;
    if (address.index && flatIndex(shape, address.index) < 0) {
      writeAddress(`${address.step}:${address.tensor}`);
      this.say(`${address.tensor} has no number [${address.index}]: it has ${shapeText(figure.entry)}, ` +
        'counted from 0.');
    } else if (address.index || shape.length === 0) {
      this.openCell(text);
    } else {
      writeAddress(text);
    }
    figure.node.scrollIntoView({block: 'nearest'});
    figure.node.classList.add('arrived');
    return true;
  }
  // The steps of a backward pass that the engine has not been asked for yet.
  hasToGoBackward(address) {
    return address.step.startsWith('backward') && this.goBackward();
  }

  readAddress() {
    if (!location.hash) return false;
    const address = addressInBar();
    const text = address?.tensor ? addressOf(address.step, address.tensor, address.index ?? []) : address?.step;
    if (text && this.goTo(text)) return true;
    this.wanted = text;  // the engine may find it, once it is there
    this.show();
    this.say(`This lesson has no ${text ? `#${text}` : location.hash}.`);
    return true;
  }

  focusHeading() {
    this.view.heading.focus({preventScroll: true});
  }

  // ---- an opened number
  // follow: an operand that was pressed; keepTrail: not a step further; still: nothing has to come into view.
  openCell(address, {follow = false, keepTrail = false, still = false} = {}) {
    const before = this.cell?.address;
    this.message.hidden = true;
    let cell;
    try {
      cell = findCell(this, address);
    } catch (error) {
      return this.say(error.message);
    }
    if (before === address && this.panel.node.contains(document.activeElement) === false) this.panel.focus();
    if (follow && before && before !== address) this.panel.remember(before);
    else if (!keepTrail) this.panel.forget();
    const parsed = parseAddress(address), place = parsed && this.lesson.find(parsed.step);
    if (place && (place.side !== this.lesson.side || place.at !== this.lesson.at)) {
      const turned = place.side !== this.lesson.side;
      Object.assign(this.lesson, place);
      if (turned) this.contents.renew();
      this.show();
    }
    this.cell = {...cell, address};
    const td = this.cellOf(address, true);
    this.panel.show(this.cell);
    this.markCells();
    writeAddress(address);
    this.say(`${cell.what ?? address}: ${cell.value ?? ''}`, {unseen: true});
    if (follow || keepTrail) this.panel.focus();
    if (!still) td?.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  closeCell({quiet = false} = {}) {
    if (!this.cell) return;
    const td = this.cellOf(this.cell.address);
    this.cell = null;
    this.panel.hide();
    this.markCells();
    if (quiet) return;
    writeAddress(this.lesson.step.id);
    td?.focus();
  }

  // The <td> of an address in this step, or null; shown: brought into view where it is behind a tab.
  cellOf(address, shown = false) {
    const parsed = parseAddress(address);
    if (!parsed || parsed.step !== this.lesson.step.id) return null;
    const figure = this.view.figure(parsed.tensor);
    const flat = figure ? flatIndex(figure.entry.shape, parsed.index ?? []) : -1;
    if (flat < 0) return null;
    if (shown) figure.reveal(flat);
    return figure.cell(flat);
  }
  isOnScreen(address) {
    return Boolean(this.cellOf(address));
  }

  markCells() {
    for (const td of this.stage.querySelectorAll('td.opened, td.source, td.goal'))
      td.classList.remove('opened', 'source', 'goal');
    const td = this.cell && this.cellOf(this.cell.address);
    const cells = addresses => [...new Set(addresses ?? [])].map(address => this.cellOf(address)).filter(Boolean);
    const from = cells(this.cell?.from), to = cells(this.cell?.to);
    from.forEach(one => one.classList.add('source'));
    to.forEach(one => one.classList.add('goal'));
    td?.classList.add('opened');
    this.lines?.show(td, from, to);
    this.product.mark();
  }
  // The reader is at an operand of the panel.
  point(address) {
    for (const td of this.stage.querySelectorAll('td.pointed')) td.classList.remove('pointed');
    if (address) this.cellOf(address)?.classList.add('pointed');
  }

  // ---- forward, backward
  turnOver() {
    const {lesson} = this;
    if (this.cell?.gradient && (lesson.hasBackward || this.goBackward())) return this.goTo(this.cell.gradient);
    if (lesson.side === 'backward') {
      const other = lesson.step.entries.find(entry => entry.other)?.other;
      return this.goTo(other ?? lesson.step.about) || this.goTo(lesson.lists.forward[0].id);
    }
    if (!lesson.hasBackward && !this.goBackward())
      return this.say(lesson.data.no_loss || this.recorded.no_loss || 'No gradient passes here.');
    const other = lesson.step.entries.find(entry => entry.other && lesson.find(parseAddress(entry.other).step))?.other;
    const about = lesson.lists.backward.find(step => step.about === lesson.step.id);
    return this.goTo(other ?? about?.id ?? lesson.lists.backward[0].id);
  }
  // Asks the engine for the backward passes of what it has run.
  goBackward() {
    if (!this.engine.isOn || this.lesson.hasBackward) return false;
    try {
      this.lesson.adopt(this.lesson.data, this.engine.call('backward'));
    } catch (error) {
      this.say(error.message);
    }
    return this.lesson.hasBackward;
  }

  // ---- the engine
  async startEngine() {
    const {flags, heavy, file} = this.recorded;
    if (flags === null) return this.editingIsOff('a trained model cannot be carried in it.');
    if (typeof engine === 'undefined') return this.editingIsOff('it was made without the engine.');
    // The first step is on the screen before the engine takes its time.
    await new Promise(done => setTimeout(done, 50));
    try {
      await engine.start();
      engine.call('read', file.name, file.text, Number(file.own));
    } catch (error) {
      return this.editingIsOff(error.message);
    }
    if (heavy) {
      this.editingIsOff(`${heavy} Smaller sizes in the settings make it possible.`);
      this.engine.canRun = true;
      this.proof.offer(heavy, () => this.engineIsThere());
    } else {
      this.engineIsThere();
    }
  }
  engineIsThere() {
    this.useEngine();
    if (!this.proof.check()) return this.editingIsOff('its engine cannot run the lesson.');
    document.documentElement.dataset.engine = 'ready';
    if (this.wanted) this.goTo(this.wanted);
    if (this.cell) this.openCell(this.cell.address, {keepTrail: true});
  }
  useEngine() {
    this.engine = {isOn: true, canRun: true, why: '', call: (...args) => engine.call(...args)};
  }
  editingIsOff(why) {
    this.engine = noEngine(why);
    document.documentElement.dataset.engine = 'off';
    if (this.cell) this.openCell(this.cell.address, {keepTrail: true});
  }

  // The lesson with other settings; throws what the engine says about bad ones.
  open(flags) {
    const data = engine.call('open', this.recorded.lesson.id, flags, this.recorded.most_cells);
    this.useEngine();
    this.proof.withdraw();
    this.lesson.base = data;
    this.adopt(data);
    this.say(`Computed anew: ${data.command}`);
  }

  // The lesson as the engine has run it just now, at the place where the reader is.
  adopt(data) {
    const backward = this.lesson.side === 'backward' ? this.engine.call('backward') : null;
    const address = this.cell?.address, focused = document.activeElement?.dataset?.address;
    const isTyping = Boolean(document.activeElement?.closest('.edit'));
    this.message.hidden = true;
    this.lesson.adopt(data, backward);
    this.command.textContent = data.command;
    this.contents.renew();
    this.whatIf.renew();
    this.show();
    clearTimeout(this.reopening);
    if (address && this.isOnScreen(address)) this.reopening = setTimeout(() => this.reopenCell(address, isTyping));
    else this.closeCell({quiet: true});
    if (focused) this.cellOf(focused)?.focus({preventScroll: true});
    if (data.differences) this.say(this.whatIf.summary(), {unseen: true});
  }

  // The arithmetic takes a backward pass for its links, so it comes when the numbers are on the screen.
  reopenCell(address, isTyping) {
    if (this.cell?.address !== address) return;
    this.openCell(address, {keepTrail: true, still: true});
    if (isTyping) this.whatIf.focusEditor();  // the next number can be typed at once
  }

  unfold(entry) {
    const {entry: whole, numbers} = this.engine.call('tensor', `${this.lesson.step.id}:${entry.name}`);
    const table = this.lesson.tables[this.lesson.side];
    Object.assign(entry, whole, {numbers: table.push(numbers[whole.numbers]) - 1});
    this.show();
  }

  // ---- talking
  say(text, {unseen: onlyHeard = false} = {}) {
    if (!text) return;
    this.live.textContent = text;
    if (onlyHeard) return;
    this.message.textContent = text;
    this.message.hidden = false;
  }

  switchPredict() {
    this.predict.setMode(!this.predict.isOn);
    this.buttons.predict.setAttribute('aria-pressed', String(this.predict.isOn));
  }
  switchText() {
    this.asPyTorch = !this.asPyTorch;
    this.show();
    if (this.cell) this.openCell(this.cell.address, {keepTrail: true});
    this.stage.querySelector('.step > header button')?.focus({preventScroll: true});
  }
  switchBatch() {
    this.wholeBatch = !this.wholeBatch;
    this.show();
    if (this.cell) this.openCell(this.cell.address, {keepTrail: true});
  }
  toggleContents(open = !document.body.classList.contains('contents-open')) {
    document.body.classList.toggle('contents-open', open);
    this.toContents.setAttribute('aria-expanded', String(open));
    if (open) this.contents.reveal();
  }
  escape() {
    if (document.body.classList.contains('contents-open')) return this.toggleContents(false);
    if (this.predict.isOpen) return this.predict.putOff();
    if (this.cell) return this.closeCell();
    this.message.hidden = true;
    return true;
  }
  edit() {
    if (!this.cell) this.say('Open a number first: Tab chooses one, Enter opens it, e edits it.');
    else if (!this.engine.isOn) this.say(`Editing is off in this page: ${this.engine.why}`);
    else this.whatIf.focusEditor();
  }

  editCode() {
    const line = this.stage.querySelector('.code-line[role=button]');
    if (this.whatIf.edits.refused()) return;
    if (!line) this.say('This step has no line of the lesson’s program that can be edited.');
    else line.focus();
  }

  keys() {
    const onControl = event => event.target.closest?.('button, a, summary, [role=link], input');
    return {
      ArrowRight: () => this.next(1), n: () => this.next(1),
      Enter: event => onControl(event) ? false : this.next(1),
      ArrowLeft: () => this.next(-1), b: () => this.next(-1), u: () => this.next(-1),
      G: () => this.goToNumber(this.lesson.steps.length - 1),
      g: () => this.finder.open(), '/': () => this.finder.open(),
      B: () => this.turnOver(), e: () => this.edit(), E: () => this.editCode(), r: () => this.whatIf.takeBack(), p: () => this.predict.ask(),
      t: () => this.switchText(), f: () => this.switchBatch(),
      '+': () => this.product.add(), '=': () => this.product.add(), '-': () => this.product.takeBack(),
      w: () => this.graph.open(this.cell?.address), s: () => this.settings.open(), '?': () => this.help.open(),
      Backspace: () => this.panel.hasTrail ? this.panel.back() : false,
      Escape: () => this.escape(),
    };
  }
}

// The page of a lesson: it connects the parts. Each part gets `page` and calls the methods below by name.
PAGES.lesson = (data, root) => new LessonPage(data, root);

class LessonPage {
  constructor(data, root) {
    this.recorded = data;
    this.lesson = new Lesson(data);
    this.cell = null;  // the opened number
    this.asked = 0;  // a count of opened numbers: the answer to an earlier one is dropped
    this.answering = null;  // a promise of the answer for the last opened number
    this.asPyTorch = false;
    this.wholeBatch = false;  // false: only the first sentence of a batch is shown
    this.live = el('p.unseen', {role: 'status', 'aria-live': 'polite'});
    this.message = el('p.message', {hidden: true});
    this.busy = el('div.busy');  // the progress of a call that the whole page waits for
    this.engine = computingOf(this);
    this.whatIf = whatIfOf(this);
    this.picture = pictureOf(this);
    this.predict = predictOf(this);
    this.settings = settingsOf(this);
    this.finder = finder(this);
    this.proof = proofOf(this);
    this.help = helpOf();
    this.contents = contentsOf(this);
    this.map = mapOf(this);
    this.product = productOf(this);
    this.softmax = softmaxOf(this);
    this.panel = cellPanel(this);
    this.slider = sliderOf('Steps', at => this.goToNumber(at));
    Object.assign(this, frameOf(this, root));
    keysOf(this.keys());
    printAll(this);
    window.addEventListener('hashchange', () => this.readAddress());
    NARROW.addEventListener('change', () => this.view.settle?.());
    this.contents.renew();
    this.whatIf.renew();
    if (!this.readAddress()) this.show();
    this.engine.start();
  }

  // ---- the step
  show() {
    leavePlaying();
    const {lesson} = this, {step} = lesson;
    this.contents.mark(step.id);
    const asked = this.predict.viewFor(step);
    this.view = asked ?? stepView(lesson, step, lesson.side, entry => this.hooks(entry),
      button('As text', () => this.switchText(),
        {'aria-pressed': String(this.asPyTorch), title: 'Tensors as PyTorch prints them (t)'}),
      lesson.side === 'forward' ? this.whatIf.edits : null);
    const isLast = lesson.side === 'forward' && lesson.at + 1 === lesson.steps.length;
    this.stage.replaceChildren(this.view.node, isLast && !asked ? lesson.onward.ending() ?? '' : '');
    for (const formula of this.stage.querySelectorAll('.formula'))
      if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;  // so that the keyboard can scroll it
    if (!asked) this.lines = linesOver(this.view.tensors);
    // The given step is before the first step, so the slider has one place more.
    if (lesson.side === 'given') this.slider.set(0, lesson.lists.forward.length, step.title, 'Start');
    else this.slider.set(lesson.at, lesson.steps.length - 1, step.title, `${step.place} / ${lesson.roadLength()}`);
    this.map.renew();
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
      mask: figure => maskOf(this, figure),
    };
  }

  goToPlace(place) {
    const turned = place.side !== this.lesson.side;
    const focusWasHere = [this.stage, this.panel.node].some(part => part.contains(document.activeElement));
    Object.assign(this.lesson, place);
    this.closeCell({quiet: true});
    this.panel.leaveRoom(false);
    this.message.hidden = true;
    if (turned) this.contents.renew();
    this.toggleContents(false);
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

  // Goes to a step, a tensor or a number. Returns false if there is none.
  goTo(text) {
    const address = parseAddress(text);
    if (!address) return false;
    this.message.hidden = true;
    const place = this.lesson.find(address.step);
    if (!place) return this.hasToGoBackward(address) && Boolean(this.goBackward().then(() => this.lesson.hasBackward && this.goTo(text)));
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
  // Returns whether the address is in a backward pass that the engine has not computed yet.
  hasToGoBackward(address) {
    return address.step.startsWith('backward') && this.engine.isOn && !this.lesson.hasBackward;
  }

  readAddress() {
    if (!location.hash) return false;
    const address = addressInBar();
    const text = address?.tensor ? addressOf(address.step, address.tensor, address.index ?? []) : address?.step;
    if (text && this.goTo(text)) return true;
    this.wanted = text;  // the engine may find it, once it has started
    this.show();
    this.say(`This lesson has no ${text ? `#${text}` : location.hash}.`);
    return true;
  }

  focusHeading() {
    this.view.heading.focus({preventScroll: true});
  }

  // ---- an opened number
  // Shows at once what the page knows of the number, and its arithmetic when the engine has answered. follow: the
  // reader pressed an operand; keepTrail: the trail gets no new entry; still: leave the page and the focus where they
  // are.
  async openCell(address, {follow = false, keepTrail = false, still = false} = {}) {
    const before = this.cell?.address, asked = ++this.asked;
    this.message.hidden = true;
    if (before === address && this.panel.node.contains(document.activeElement) === false && !still) this.panel.focus();
    if (follow && before && before !== address) this.panel.remember(before);
    else if (!keepTrail) this.panel.forget();
    const parsed = parseAddress(address), place = parsed && this.lesson.find(parsed.step);
    if (place && (place.side !== this.lesson.side || place.at !== this.lesson.at)) {
      const turned = place.side !== this.lesson.side;
      Object.assign(this.lesson, place);
      if (turned) this.contents.renew();
      this.show();
    }
    this.cell = {...knownCell(this, address), address};
    const td = this.cellOf(address, true);
    this.markCells();
    writeAddress(address);
    if (this.engine.isOn) await (this.answering = this.answerCell(asked));
    else this.panel.show(this.cell);
    if (asked !== this.asked) return;
    this.say(`${this.cell.what ?? address}: ${this.cell.value ?? ''}`, {unseen: true});
    if ((follow || keepTrail) && !still) this.panel.focus();
    if (td) this.bringToSight(td, still);
  }
  // Moves nothing if the cell's number is in sight: neither beyond an edge nor under the panel. still: only from under
  // the panel, which grows when the arithmetic is there.
  bringToSight(td, still) {
    const {left, top, width, height} = td.getBoundingClientRect();
    const seen = document.elementFromPoint(left + width / 2, top + height / 2);
    if (still ? this.panel.node.contains(seen) : seen?.closest('td') !== td)
      td.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  // Fetches the opened number's arithmetic from the engine.
  async answerCell(asked) {
    const {address} = this.cell, waits = el('div'), isGradient = this.lesson.side === 'backward';
    // A number of the forward side takes no time, once the lesson has run.
    const late = setTimeout(() => asked === this.asked && this.panel.show({...this.cell, waits}), isGradient ? this.engine.soon : SOON);
    let answer;
    try {
      const total = this.engine.run + (isGradient ? this.engine.back : 0);
      answer = await this.engine.ask(waits, {total}, 'cell', address);
    } catch (error) {
      answer = {error: error.message};
    }
    clearTimeout(late);
    if (asked !== this.asked) return;
    this.cell = {...this.cell, ...answer, address};
    this.panel.show(this.cell);
    this.markCells();
  }

  closeCell({quiet = false} = {}) {
    if (!this.cell) return;
    const td = this.cellOf(this.cell.address);
    this.cell = null;
    ++this.asked;
    this.panel.hide();
    this.markCells();
    if (quiet) return;
    writeAddress(this.lesson.step.id);
    td?.focus({preventScroll: true});
  }

  // Returns the <td> of an address in this step, or null. shown: bring it into view if it is behind a tab.
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
    leavePlaying();
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
    this.map.renew();
  }
  // Marks the cell of the operand that the reader points at in the panel.
  point(address) {
    for (const td of this.stage.querySelectorAll('td.pointed')) td.classList.remove('pointed');
    if (address) this.cellOf(address)?.classList.add('pointed');
  }

  // ---- forward, backward
  // Returns the gradient of a number, or the number whose gradient it is; null if no step shows one.
  gradientOf({address, gradient}) {
    if (gradient) return gradient;
    const parsed = parseAddress(address);
    const entryIn = data => data.forward.concat(data.given ?? []).find(step => step.id === parsed?.step)
      ?.entries.find(entry => entry.name === parsed.tensor);
    const to = entryIn(this.lesson.data)?.gradient ?? entryIn(this.recorded)?.gradient;
    return to ? to + cellIn(address) : null;
  }

  async turnOver() {
    const {lesson} = this, to = this.cell && this.gradientOf(this.cell);
    if (to && (lesson.hasBackward || await this.goBackward())) return this.goTo(to);
    if (lesson.side === 'backward') {
      const other = lesson.step.entries.find(entry => entry.other)?.other;
      return this.goTo(other ?? lesson.step.about) || this.goTo(lesson.lists.forward[0].id);
    }
    if (!lesson.hasBackward && !await this.goBackward())
      return this.message.hidden && this.say(lesson.data.no_loss || this.recorded.no_loss || 'No gradient passes here.');
    const other = lesson.step.entries.find(entry => entry.other && lesson.find(parseAddress(entry.other).step))?.other;
    const about = lesson.lists.backward.find(step => step.about === lesson.step.id);
    return this.goTo(other ?? about?.id ?? lesson.lists.backward[0].id);
  }
  // Asks the engine for the backward passes of its run. Returns whether there are any.
  async goBackward() {
    if (!this.engine.isOn || this.lesson.hasBackward) return false;
    try {
      const {data} = this.lesson, backward = await this.backward();
      if (data === this.lesson.data) this.lesson.adopt(data, backward);
    } catch (error) {
      this.say(error.message);
    }
    return this.lesson.hasBackward;
  }
  backward() {
    const {run, back} = this.engine;
    return this.engine.ask(this.busy, {words: 'Computing the gradients', total: run + back}, 'backward');
  }

  // ---- the engine
  // Called when the engine has started, and when it cannot start.
  engineChanged() {
    const {wanted} = this;
    if (this.engine.isOn) this.wanted = null;
    if (this.engine.isOn && wanted) this.goTo(wanted);
    else if (this.cell) this.openCell(this.cell.address, {keepTrail: true, still: true});
  }

  // Runs the lesson with other settings; throws the engine's error about bad ones.
  async open(flags, place) {
    const {lesson, most_cells} = this.recorded;
    const data = await this.engine.ask(place, {words: 'Running the lesson'}, 'open', lesson.id, flags, most_cells);
    if (!this.engine.isOn) {
      this.proof.say('');
      this.engine.has();
    }
    this.lesson.base = data;
    await this.adopt(data);
    this.say(`Computed anew: ${data.command}`);
  }

  // Shows the engine's latest run of the lesson, at the reader's place.
  async adopt(data) {
    let backward = null;
    try {
      if (this.lesson.side === 'backward') backward = await this.backward();
    } catch {
      // Stopped: the page shows the forward side of the run.
    }
    const address = this.cell?.address, focused = document.activeElement?.dataset?.address;
    const isTyping = Boolean(document.activeElement?.closest('.edit'));
    this.message.hidden = true;
    this.lesson.adopt(data, backward);
    this.command.textContent = data.command;
    this.contents.renew();
    this.whatIf.renew();
    this.show();
    if (address && this.isOnScreen(address)) this.openCell(address, {keepTrail: true, still: true}).then(() => {
      if (isTyping && this.cell?.address === address) this.whatIf.focusEditor();  // the next number can be typed at once
    });
    else this.closeCell({quiet: true});
    if (focused) this.cellOf(focused)?.focus({preventScroll: true});
    if (data.differences) this.say(this.whatIf.summary(), {unseen: true});
  }

  async unfold(entry) {
    const {step, side} = this.lesson, table = this.lesson.tables[side];
    let answer;
    try {
      answer = await this.engine.ask(this.busy, {}, 'tensor', `${step.id}:${entry.name}`);
    } catch (error) {
      return this.say(error.message);
    }
    const {entry: whole, numbers} = answer;
    const added = at => at === undefined ? at : table.push(numbers[at]) - 1;
    Object.assign(entry, whole, {numbers: added(whole.numbers), before_mask: added(whole.before_mask)});
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
    leavePlaying();
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
      w: () => this.picture.open(this.cell?.address), s: () => this.settings.open(), '?': () => this.help.open(),
      Backspace: () => this.panel.hasTrail ? this.panel.back() : false,
      Escape: () => this.escape(),
    };
  }
}

// The page of a course: the list of exercises, one of them, and the way to the next.
PAGES.course = (data, root) => new CoursePage(data, root);

const COURSE_KEYS = [
  ['i Enter', 'write your lines'], ['Ctrl+Enter', 'check them; after a right answer, go on'], ['Esc', 'stop a check, or leave the field'],
  ['h', 'one more hint'], ['s', 'one solution'], ['u', 'undo: the lines before'], ['r', 'reset: empty the blank'],
  ['n →', 'next exercise'], ['b ←', 'the exercise before'], ['?', 'this help'],
];

class CoursePage {
  constructor(data, root) {
    this.data = data;
    this.lines = courseLines(data);
    this.onward = onwardOf(data.onward);
    this.canCheck = true;
    this.isReady = false;  // until then a check waits for the engine
    this.places = [...data.exercises, ...data.ending ? [{id: 'ending', title: data.ending.title}] : []];
    this.off = el('p.message', {hidden: true});
    this.help = dialog('help', 'Help', keysPart(COURSE_KEYS), el('p', {}, 'Your lines stay in this browser. ', el('b', {}, '~'),
      ' and a frame mark a number that differs. Any line that computes the right tensors is right, however it is written.'));
    this.build(root);
    keysOf(this.keys());
    this.printAll();
    window.addEventListener('hashchange', () => this.readAddress());
    if (!this.readAddress()) this.goTo(this.lines.place());
    this.startEngine();
  }

  build(root) {
    const {data} = this;
    this.count = el('p.count');
    this.meter = el('progress', {max: data.exercises.length, 'aria-label': 'Solved'});
    this.links = this.places.map((place, k) => el('a', {href: `#${place.id}`},
      el('span.number', {}), el('span.title', {}, place.title), k < data.exercises.length && unseen('')));
    const contents = el('nav.contents', {id: 'contents', 'aria-label': 'Exercises'},
      button('×', () => this.toggleContents(false), {class: 'close', 'aria-label': 'Close the list of exercises'}),
      this.count, this.meter, el('ol', {role: 'list'}, this.links.map(link => el('li', {}, link))));
    this.toContents = button('☰ Exercises', () => this.toggleContents(),
      {class: 'to-contents', 'aria-controls': 'contents', 'aria-expanded': 'false'});
    this.stage = el('div.stage');
    this.saveButton = button('Save as a file', () => this.saveFile(), {disabled: true});
    const file = el('input', {type: 'file', accept: '.py,text/x-python,text/plain', class: 'unseen', tabindex: -1, 'aria-label': 'A file of your lines',
      onchange: () => this.openFile(file)});
    this.openButton = button('Open a file', () => file.click(), {disabled: true});
    this.fileNote = el('p', {role: 'status'});
    const main = el('main', {id: 'main', tabindex: -1}, this.stage, el('footer.colophon', {},
      el('p', {}, 'You will understand ', wordsOf(data.understand), `. About ${data.minutes} minutes.`),
      el('p', {}, 'In a terminal: ', el('code', {}, `glassgrad build ${data.id}`)),
      el('div.actions', {}, el('span', {}, 'Your lines: '), this.saveButton, this.openButton, file), this.fileNote));
    this.backButton = button('Back', () => this.step(-1), {title: 'The exercise before (b)'});
    this.nextButton = button('Next', () => this.step(1), {title: 'Next exercise (n)'});
    this.placeText = el('span.place');
    const skip = el('a.skip', {href: '#main', onclick: event => {
      event.preventDefault();
      this.focusHeading();
    }}, 'To the exercise');
    root.replaceChildren(skip,
      el('header.bar', {}, this.toContents,
        el('div.brand', {}, this.onward.logo(), el('h1', {}, data.title)),
        el('div.tools', {role: 'group', 'aria-label': 'View'}, themeButton(),
          button('?', () => this.help.showModal(), {'aria-label': 'Help', title: 'Help (?)'}))),
      el('div.body', {}, contents, main),
      el('footer.bar', {}, this.backButton, this.placeText, this.nextButton), this.help);
  }

  // ---- the learner's place
  readAddress() {
    const id = decodeURIComponent(location.hash.slice(1));
    return this.places.some(place => place.id === id) && this.goTo(id);
  }
  goTo(id) {
    const at = Math.max(0, this.places.findIndex(place => place.id === id));
    if (at === this.at) return true;
    const focusWasHere = this.stage.contains(document.activeElement);
    this.view?.leave();
    this.at = at;
    this.view = this.places[at].id === 'ending' ? endingView(this) : exerciseView(this, this.data.exercises[at]);
    this.stage.replaceChildren(this.view.node, this.at + 1 === this.places.length ? this.onward.ending() ?? '' : '');
    this.lines.stay(this.places[at].id);
    this.toggleContents(false);
    this.progress();
    window.scrollTo(0, 0);
    if (focusWasHere) this.focusHeading();
    return true;
  }
  step(by) {
    const place = this.places[this.at + by];
    if (!place) return;
    this.goTo(place.id);  // at once: the browser reports the new address only later
    location.hash = place.id;
  }
  goOn() {
    this.step(1);
  }
  whatNext() {
    const next = this.places[this.at + 1];
    return next ? ['Next: ', el('a', {href: `#${next.id}`}, next.title), ' (Ctrl-Enter).'] : 'That was the last exercise.';
  }
  progress() {
    const {lines, data} = this, solved = lines.solved();
    this.count.textContent = `${solved} of ${data.exercises.length} solved`;
    this.meter.value = solved;
    this.links.forEach((link, k) => {
      const done = k < data.exercises.length && lines.isSolved(data.exercises[k].id);
      const [number, , words] = link.children;
      number.textContent = done ? '✓' : k < data.exercises.length ? k + 1 : '▸';
      if (words) words.textContent = done ? ' solved' : '';
      if (k === this.at) link.setAttribute('aria-current', 'step');
      else link.removeAttribute('aria-current');
    });
    const {id} = this.places[this.at];
    this.nextButton.classList.toggle('primary', id !== 'ending' && lines.isSolved(id));
    this.backButton.disabled = this.at === 0;
    this.nextButton.disabled = this.at + 1 === this.places.length;
    this.placeText.textContent = this.count.textContent;
  }
  focusHeading() {
    this.view.heading.focus();
  }
  toggleContents(open = !document.body.classList.contains('contents-open')) {
    document.body.classList.toggle('contents-open', open);
    this.toContents.setAttribute('aria-expanded', String(open));
  }

  keys() {
    const view = name => () => this.view[name]();
    // A scrollable element uses the arrows itself.
    const turn = by => event => event.target.closest?.('[tabindex="0"]') ? false : this.step(by);
    const write = event => event.target.closest?.('button, a, summary, input') ? false : this.view.edit();
    return {
      i: view('edit'), Enter: write, h: view('hint'), s: view('showSolution'), u: view('undo'), r: view('reset'),
      n: () => this.step(1), ArrowRight: turn(1), b: () => this.step(-1), ArrowLeft: turn(-1),
      '?': () => this.help.showModal(),
      Escape: () => document.body.classList.contains('contents-open') ? this.toggleContents(false) : this.view.leave(),
    };
  }

  // ---- the engine
  async startEngine() {
    const {data} = this;
    try {
      // Read the course before any call that the learner makes meanwhile.
      await Promise.all([engine.start(), engine.call('course', data.file.name, data.file.text)]);
      this.isReady = true;
      this.saveButton.disabled = this.openButton.disabled = false;
    } catch ({message}) {
      this.canCheck = false;
      this.off.replaceChildren(`This page cannot check your lines: ${message} Hints and solutions are here all the same. To have your lines checked, type `,
        el('code', {}, `glassgrad build ${data.id}`), ' in a terminal.');
      this.off.hidden = false;
    }
    this.view.renew();
    document.documentElement.dataset.checks = this.canCheck ? 'yes' : 'no';
  }

  // ---- the learner's file
  async saveFile() {
    if (!this.lines.rough()) return this.tell('There is no line to save yet.');
    try {
      const address = URL.createObjectURL(new Blob([await this.lines.file()], {type: 'text/x-python'}));
      el('a', {href: address, download: `${this.data.id}.py`}).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
      this.tell(`Saved as ${this.data.id}.py, as glassgrad build keeps it.`);
    } catch ({message}) {
      this.tell(message);
    }
  }
  async openFile(input) {
    const [file] = input.files;
    input.value = '';
    if (!file) return;
    try {
      await this.lines.take(await file.text());
      this.at = undefined;
      this.goTo(this.lines.place());
      this.tell(`${file.name} is open: ${this.count.textContent}.`);
    } catch ({message}) {
      this.tell(`${file.name} was not opened: ${message}.`);
    }
  }
  tell(text) {
    this.fileNote.textContent = text;
  }

  // Prints all exercises, with the lines written so far.
  printAll() {
    const {data, lines} = this, paper = el('div.paper', {'aria-hidden': 'true'});
    window.addEventListener('beforeprint', () => {
      paper.replaceChildren(el('h1', {}, data.title), ...data.exercises.map((e, k) => {
        const own = lines.text(e.id).trimEnd().split('\n').map(line => ' '.repeat(e.indent) + line);
        const blank = own.join('').trim() ? own : Array(e.solution.length).fill(`${' '.repeat(e.indent)}${'_'.repeat(48)}`);
        return el('section.step', {}, el('h2', {}, `${k + 1}. ${e.title}`), e.prose.map(words => el('p.prose', {}, wordsOf(words))),
          el('pre.code', {}, el('code', {}, [...e.before, ...blank, ...e.after].map(line => codeLine(line)))));
      }));
      document.body.append(paper);
      document.body.classList.add('printing');
    });
    window.addEventListener('afterprint', () => {
      paper.remove();
      paper.replaceChildren();
      document.body.classList.remove('printing');
    });
  }
}

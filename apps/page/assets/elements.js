// Makes the page's elements. Data become text or attributes, never markup, so a token that looks like markup stays a
// token.
const SVG = 'http://www.w3.org/2000/svg';

// Each kind of page adds what shows its data: PAGES.lesson, PAGES.training, PAGES.inspect.
const PAGES = {};

// el('button.quiet', {type: 'button', onclick: f}, 'Back'); null, undefined and false leave something out.
function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  const node = document.createElement(name);
  if (classes.length) node.className = classes.join(' ');
  return fill(node, attributes, children);
}

function svgEl(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name.startsWith('--')) node.style.setProperty(name, value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return node;
}

function button(text, onclick, attributes = {}) {
  return el('button', {type: 'button', onclick, ...attributes}, text);
}

// Fields with a button: Enter in a field does what the button does. No <form>: a frame may forbid its page to submit one.
function fieldsOf(tag, send, ...children) {
  return el(tag, {onkeydown: event => {
    if (event.key !== 'Enter' || event.isComposing || !event.target.matches('input')) return;
    event.preventDefault();
    event.stopPropagation();
    send();
  }}, children);
}

// Read by a screen reader, not shown.
function unseen(text) {
  return el('span.unseen', {}, text);
}

// Lets a name like MultiHeadAttentionWrapper break where one of its words ends.
function breakable(text) {
  return text.split(/(?<=[a-z])(?=[A-Z][a-z])/).flatMap((part, i) => i ? [el('wbr'), part] : [part]);
}

// A window of the page: title, contents, a button that closes it; Esc does too.
function dialog(id, title, ...children) {
  const heading = el('h2', {id: `${id}-title`}, title);
  const node = el('dialog', {id, 'aria-labelledby': heading.id});
  const close = button('×', () => node.close(), {class: 'close', 'aria-label': 'Close'});
  // A click on the backdrop reaches the dialog itself, one inside reaches a child.
  node.addEventListener('click', event => {
    if (event.target === node) node.close();
  });
  node.append(el('div.window', {}, el('header', {}, heading, close), ...children));
  return node;
}

// A browser may forbid a page opened from disk to remember anything.
function remembered(name) {
  try {
    return localStorage.getItem(`glassgrad.${name}`);
  } catch {
    return null;
  }
}
function remember(name, value) {
  try {
    localStorage.setItem(`glassgrad.${name}`, value);
  } catch {
    // The value is lost when the page is closed.
  }
}

// Returns the marked words of apps/page/words_data.h as [{kind, text, link}].
function marked(words) {
  return words.map(word => {
    if (typeof word === 'string') return {kind: 'plain', text: word};
    const kind = Object.keys(word).find(key => key !== 'link');
    return {kind, text: word[kind], link: word.link};
  });
}
const WORD_TAGS = {term: 'em', bold: 'strong', code: 'code'};
const withMark = (kind, inside) => WORD_TAGS[kind] ? el(WORD_TAGS[kind], {}, inside) : inside;
const plainText = words => marked(words).map(({text}) => text).join('');

// One-letter keys, the same as the stepper's. They are off while the reader types, and if the reader has turned them
// off.
const LETTERS_OFF = 'letters-off';
let lettersOff = remembered(LETTERS_OFF) === 'yes';

function setLettersOff(off) {
  lettersOff = off;
  remember(LETTERS_OFF, off ? 'yes' : 'no');
}

const WRITES = 'input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]';

// keys: {key: f}; f returns false if it does not use the key.
function keysOf(keys) {
  document.addEventListener('keydown', event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.target.closest?.(WRITES) && event.key !== 'Escape') || document.querySelector('dialog[open]')) return;
    if (lettersOff && event.key.length === 1) return;
    // A slider uses the arrows itself.
    if (event.target.matches?.('input[type=range]') && event.key.startsWith('Arrow')) return;
    const action = keys[event.key];
    if (action && action(event) !== false) event.preventDefault();
  });
}

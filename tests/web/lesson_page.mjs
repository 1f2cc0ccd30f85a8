// Tools for the tests of a lesson's page: they write it once, go through it and read its tables.
import {existsSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {gunzipSync} from 'node:zlib';
import {glassgrad, open} from './browser.mjs';

// The names of all lessons.
export const LESSONS = JSON.parse(glassgrad('learn', '--format', 'json')).map(({lesson}) => lesson);

// Returns one in `every` of many alike; all if EVERYTHING is set, as at night.
export const some = (all, every) => process.env.EVERYTHING ? all : all.filter((_, i) => i % every === 0);

// Writes a lesson's page as a file, if it is not there yet. Returns the file's name.
export function written(place, lesson, ...flags) {
  const name = `${[lesson, ...flags].join(' ').replace(/[^\w.-]+/g, '_')}.html`;
  if (!existsSync(path.join(place.folder, name))) glassgrad('learn', lesson, ...flags, '--html', path.join(place.folder, name));
  return name;
}

export const hasEngine = page => page.evaluate(() => document.getElementById('wasm') !== null);

// Opens a page and waits until it can be used: its script has run, and the engine has reported whether it agrees.
export async function openLesson(place, file, view) {
  const page = await open(place, file, view);
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes').catch(error => {
    throw new Error(`${file} is not ready: ${error.message}; ${page.trouble.join('; ')}`);
  });
  if (await hasEngine(page))
    await page.waitForFunction(() => document.querySelector('.proof').textContent || document.querySelector('.alarm').textContent,
      null, {timeout: 60_000});
  return page;
}

// Opens the same page again, as on a slow phone: its engine starts when the test lets it.
export async function reloadHeld(page) {
  await page.addInitScript(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message) {
      if (message.packed) globalThis.startEngine = () => post.call(this, message);
      else post.call(this, message);
    };
  });
  await page.reload();
}
export const startEngine = page => page.waitForFunction(() => globalThis.startEngine && (globalThis.startEngine(), true));

// The panel of an opened number, once its arithmetic is there.
export const opened = page => page.locator('.cell-panel[data-opened]:not([data-waits]):visible');

export function dataOf(html) {
  const [, type, text] = /<script type="([a-z/]+)" id="data">(.*?)<\/script>/s.exec(html);
  return JSON.parse(type === 'application/json' ? text : gunzipSync(Buffer.from(text, 'base64')));
}
export const dataIn = (place, name) => dataOf(readFileSync(path.join(place.folder, name), 'utf8'));

// Goes through all steps of the side that is shown, from the first to the last, with the page's own buttons. Returns
// what its tables show: [{step, tensors: [{name, cells: [text]}], overhang}].
export function goThrough(page) {
  return page.evaluate(() => {
    const [back, next] = ['Back', 'Next'].map(name => document.querySelector(`.slider button[aria-label="${name}"]`));
    const text = td => [...td.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data).join('').trim();
    const tensors = () => [...document.querySelectorAll('main figure.tensor')].map(figure => {
      figure.querySelector('button.others')?.click();  // all sentences of a batch
      for (const tab of figure.querySelectorAll('[role=tab]')) tab.click();
      for (const more of figure.querySelectorAll('button.more')) more.click();
      return {name: figure.dataset.tensor, folded: figure.querySelector('.folded') !== null,
        cells: [...figure.querySelectorAll('table.matrix tbody td:not(.sum)')].map(text)};
    });
    while (!back.disabled) back.click();
    const steps = [];
    for (;;) {
      steps.push({step: document.querySelector('#step-title').textContent, tensors: tensors(),
        overhang: document.documentElement.scrollWidth - document.documentElement.clientWidth});
      if (next.disabled) return steps;
      next.click();
    }
  });
}

// The numbers of nested lists, in order.
export const flat = data => Array.isArray(data) ? data.flatMap(flat) : [data];

// Returns whether a text is a number rounded as PyTorch rounds what it prints.
export function shows(text, number) {
  if (typeof number === 'boolean') return text === (number ? 'True' : 'False');
  const words = {NaN: 'nan', Infinity: 'inf', '-Infinity': '-inf'};
  if (typeof number === 'string') return text === words[number];
  const parts = /^-?\d+(?:\.(\d*))?(?:e([+-]\d+))?$/.exec(text);
  if (!parts) return false;
  const place = 10 ** (Number(parts[2] ?? 0) - (parts[1]?.length ?? 0));
  const slack = parts[1] === undefined ? 0 : 0.5 * place * (1 + 1e-4) + Math.abs(number) * 1e-7;
  return Math.abs(Number(text) - number) <= slack;
}

// Returns the errors in the page's tables, compared with the program's JSON: a few lines, or none.
export function differences(shown, {steps}) {
  const wrong = [];
  if (shown.length !== steps.length) wrong.push(`${shown.length} steps instead of ${steps.length}`);
  for (const [i, {tensors}] of steps.entries()) {
    const figures = (shown[i]?.tensors ?? []).filter(figure => figure.name);
    if (figures.map(f => f.name).join() !== tensors.map(t => t.name).join())
      wrong.push(`${steps[i].id}: shows ${figures.map(f => f.name)}, not ${tensors.map(t => t.name)}`);
    for (const [k, tensor] of tensors.entries()) {
      const figure = figures[k], numbers = flat(tensor.data ?? []);
      if (!figure || figure.folded) continue;
      const at = figure.cells.length === numbers.length ? numbers.findIndex((number, n) => !shows(figure.cells[n], number)) : -2;
      if (at === -2) wrong.push(`${steps[i].id}:${tensor.name}: ${figure.cells.length} cells instead of ${numbers.length}`);
      else if (at >= 0) wrong.push(`${steps[i].id}:${tensor.name}, cell ${at}: ${figure.cells[at]} instead of ${numbers[at]}`);
    }
  }
  return wrong.slice(0, 10);
}

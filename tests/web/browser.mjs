// Debian's Chromium without any network, and what the program writes for it.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before} from 'node:test';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

export const ROOT = path.resolve(import.meta.url.slice('file://'.length), '../../..');
export const PROGRAM = process.env.GLASSGRAD ?? path.join(ROOT, 'build/glassgrad');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';

// Returns what the program prints; if the program fails, so does the test.
export function glassgrad(...words) {
  return execFileSync(PROGRAM, words.map(String), {encoding: 'utf8', maxBuffer: 1 << 28, timeout: 120_000,
    stdio: ['ignore', 'pipe', 'pipe']});
}
export function fails(...words) {
  const run = spawnSync(PROGRAM, words.map(String), {encoding: 'utf8', timeout: 120_000});
  return {code: run.status, err: run.stderr, out: run.stdout};
}
export const json = (...words) => JSON.parse(glassgrad(...words, '--format', 'json'));

// A folder for the tests of one file, and a browser for them.
export function workplace() {
  const place = {folder: mkdtempSync(path.join(tmpdir(), 'glassgrad-web-')), browser: null};
  before(async () => {
    place.browser = await chromium.launch({executablePath: CHROMIUM, args: ['--disable-gpu', '--disable-dev-shm-usage']});
  });
  after(async () => {
    await place.browser?.close();
    rmSync(place.folder, {recursive: true, force: true});
  });
  return place;
}

// Opens a file as a reader would from disk. `view` are Playwright's settings of a context: viewport, colorScheme, …. A page may
// ask for no other file, except in a place that has `shared`, the folder of the files that its pages share.
// The page has `trouble`: every request to a network, and every error on its console.
export async function open(place, file, view = {}) {
  const [name, hash] = file.split('#');
  const address = pathToFileURL(path.resolve(place.folder, name)).href;
  const context = await place.browser.newContext({viewport: {width: 1200, height: 800}, ...view});
  await context.setOffline(true);
  const page = await context.newPage();
  page.trouble = [];
  await context.route('**/*', route => {
    const asked = route.request().url();
    if (asked.startsWith('file://') && route.request().isNavigationRequest()) return route.continue();
    if (place.shared && asked.startsWith(pathToFileURL(place.shared + path.sep).href)) return route.continue();
    page.trouble.push(`asks for ${asked}`);
    return route.abort();
  });
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) page.trouble.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', error => page.trouble.push(`throws ${error.stack}`));
  await page.goto(hash === undefined ? address : `${address}#${hash}`);
  return page;
}

export function assertNoTrouble(page) {
  assert.deepEqual(page.trouble, []);
}

// Returns how far the page would have to be scrolled sideways; 0 is right.
export const overhang = page => page.evaluate(() =>
  document.documentElement.scrollWidth - document.documentElement.clientWidth);

const AXE = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

// Returns axe-core's serious and critical findings, which keep somebody from reading; each with its first place. `rules`
// are all that are for readers of a page, or those named. Nothing is measured half faded: colours that change have changed,
// and numbers that fly are wholly there.
export async function barriers(page, rules) {
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.evaluate(AXE);
  const {violations} = await page.evaluate(async runOnly => {
    const unfaded = new CSSStyleSheet();
    unfaded.replaceSync('* { transition: none !important } .chip { opacity: 1 !important }');
    document.adoptedStyleSheets.push(unfaded);
    try {
      return await globalThis.axe.run(document, {runOnly, resultTypes: ['violations']});
    } finally {
      document.adoptedStyleSheets.pop();
    }
  }, rules ?? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']);
  return violations.filter(v => ['serious', 'critical'].includes(v.impact)).map(v =>
    `${v.id} (${v.nodes.length}): ${v.help}: ${v.nodes[0].html.slice(0, 200)} ${v.nodes[0].failureSummary ?? ''}`);
}

// The same in both themes: in the dark one, only the rules that depend on the theme.
export async function barriersInLightAndDark(page) {
  await page.emulateMedia({colorScheme: 'light', reducedMotion: 'reduce'});
  const inLight = await barriers(page);
  await page.emulateMedia({colorScheme: 'dark', reducedMotion: 'reduce'});
  return [...inLight, ...(await barriers(page, ['color-contrast', 'link-in-text-block'])).map(text => `dark: ${text}`)];
}

// Reports how long something took, without judging: machines differ.
export const tell = (t, what, milliseconds) => t.diagnostic(`${what}: ${milliseconds.toFixed(1)} ms`);

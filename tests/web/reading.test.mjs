// The page of `inspect --html`, whose model reads what one types, as `inspect` would.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {before, test} from 'node:test';
import {assertNoTrouble, barriers, barriersInLightAndDark, glassgrad, json, open, overhang, workplace} from './browser.mjs';
import {flat, hasEngine, reloadHeld, shows, startEngine} from './lesson_page.mjs';

const place = workplace();
const at = name => path.join(place.folder, name);
const TEXT = 'cats climb trees during';
const required = process.env.REQUIRE_WASM === '1';

before(() => {
  glassgrad('train', '--steps', 150, '--out', at('run'));
  glassgrad('inspect', at('run'), '--text', TEXT, '--top', 5, '--html', at('page.html'));
});

// Opens the page and waits for its engine; null, and the test is skipped, if it has none.
async function reading(t, {file = 'page.html', view, script} = {}) {
  const page = await open(place, file, view);
  const has = await hasEngine(page);
  assert.ok(has || !required, 'the page has no engine');
  if (!has) {
    t.skip('built without WebAssembly');
    return null;
  }
  if (script) await page.addInitScript(script).then(() => page.reload());
  await page.waitForFunction(() => document.documentElement.dataset.engine, null, {timeout: 60_000});
  return page;
}
const settled = (page, text) => page.waitForFunction(text => document.querySelector('.reading').innerText.replaceAll('␣', ' ')
  .replaceAll(/\s+/g, ' ').trim() === `It reads: ${text}`, text.replaceAll('\n', '\\n'));
const field = page => page.locator('textarea');
const tables = page => page.locator('.likely').evaluateAll(all => all.map(table =>
  [...table.tBodies[0].rows].map(row => [row.cells[0].innerText, row.cells[1].innerText.trim()])));

// What `inspect` prints: the likeliest tokens' probabilities, with all heads and without one.
function printed(text, ...flags) {
  const recorded = json('inspect', at('run'), '--text', text, ...flags);
  const of = step => flat(recorded.steps.find(s => s.id === step).tensors.find(t => t.name === 'probabilities').data)
    .sort((a, b) => b - a).slice(0, 5);
  return {next: of('next-token'), zeroed: of('zeroed-head'), weights: recorded.steps.filter(s => /^layer-\d+-weights$/.test(s.id))
    .map(s => s.tensors.find(t => t.name === 'attn_weights').data[0])};
}
function agrees(shown, numbers) {
  assert.equal(shown.length, numbers.length);
  numbers.forEach((number, i) => assert.ok(shows(shown[i][1], number), `${shown[i]} for ${number}`));
}

test('it reads what one types, and computes what `inspect` prints', async t => {
  const page = await reading(t);
  if (!page) return;
  agrees((await tables(page))[0], printed(TEXT).next);
  for (const text of ['dogs', 'birds cross roads during', 'bears watch stars during sunsets\nfoxes']) {
    await field(page).fill(text);  // without Enter: after a pause
    if (text !== 'dogs') await page.getByRole('button', {name: 'Read', exact: true}).click();
    await settled(page, text);
    const {next, weights} = printed(text);
    agrees((await tables(page))[0], next);
    for (let i = 0; i < 8; i += 3) {
      await page.locator('button.head').nth(i).click();
      const shown = await page.locator('.numbers tbody td').allInnerTexts();
      flat(weights[Math.floor(i / 4)][i % 4]).forEach((number, k) => assert.ok(shows(shown[k], number), `${shown[k]} for ${number}`));
    }
  }
  assertNoTrouble(page);
  await page.context().close();
});

test('a head is switched off, beside the whole model, and on again', async t => {
  const page = await reading(t);
  if (!page) return;
  await page.locator('button.head').nth(6).click();
  const cut = page.getByRole('button', {name: /^Switch (off|on) layer 1, head 2/});
  await cut.click();
  await page.locator('.both').waitFor();
  const {next, zeroed} = printed(TEXT, '--zero', '1.2');
  const [whole, without] = await tables(page);
  agrees(whole, next);
  agrees(without, zeroed);
  assert.notDeepEqual(whole, without);
  assert.equal(await cut.innerText(), 'Switch on layer 1, head 2');
  assert.equal(await page.locator('button.head.switched-off').innerText(), 'off');
  assert.deepEqual(await barriers(page), []);
  await page.locator('button.head').nth(0).click();
  assert.equal(await page.getByRole('button', {name: /^Switch/}).innerText(), 'Switch off layer 0, head 0 instead');
  await page.locator('button.head').nth(6).click();
  await cut.click();
  await page.locator('.both').waitFor({state: 'detached'});
  // A number of the table leads to its head.
  await page.locator('section[aria-labelledby=without] tbody td').nth(5).click();
  assert.match(await page.locator('.chosen h3').innerText(), /Layer 1, head 1/);
  assertNoTrouble(page);
  await page.context().close();
});

test('it writes on with a next word, by keyboard alone', async t => {
  const page = await reading(t);
  if (!page) return;
  await field(page).focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('birds watch');
  await page.keyboard.press('Enter');
  await settled(page, 'birds watch');
  let text = 'birds watch';
  await page.locator('.likely button').first().focus();
  for (let i = 0; i < 4; ++i) {
    const [[likeliest]] = await tables(page).then(all => all[0]);
    await page.keyboard.press('Enter');
    text += likeliest.replace('␣', ' ').replace('\\n', '\n');
    await settled(page, text);
    assert.equal(await field(page).inputValue(), text);
    assert.ok(await page.evaluate(() => document.activeElement.matches('.likely button')), text);
  }
  assert.match(text, /^birds watch \w+ during \w+\n$/);
  assertNoTrouble(page);
  await page.context().close();
});

test('words without a token are named, and a text that is too long; sentences to try are there', async t => {
  const page = await reading(t);
  if (!page) return;
  for (const [text, says] of [['cats climb zebras', /never read the word "zebras"\. Below is what it read before/],
    ['trees', /never read the word "trees" without a space before it/], ['cats'.concat(' climb'.repeat(40)), /41 tokens, but the model sees 32/],
    ['', /Type a word/]]) {
    await field(page).fill(text);
    await field(page).press('Enter');
    await page.locator('.says.problem', {hasText: says}).waitFor();
  }
  assert.equal(await page.locator('.known[open]').count(), 1);
  assert.ok((await page.locator('.known .token').allInnerTexts()).includes('␣trees'));
  await page.getByRole('button', {name: 'dogs chase mice during'}).click();
  await settled(page, 'dogs chase mice during');
  assert.equal(await page.locator('.says').innerText(), '');
  assertNoTrouble(page);
  await page.context().close();
});

test('what one does before the engine is there is read once it is', async t => {
  const page = await reading(t);
  if (!page) return;
  await reloadHeld(page);
  await field(page).fill('foxes');
  await page.keyboard.press('Enter');
  await page.getByRole('button', {name: /^Switch off/}).click();
  assert.match(await page.locator('.says').innerText(), /engine in this page is starting/);
  assert.equal(await page.locator('.both').count(), 0);
  await startEngine(page);
  await settled(page, 'foxes');
  assert.equal(await page.locator('.both').count(), 1);
  agrees((await tables(page))[0], printed('foxes').next);
  assertNoTrouble(page);
  await page.context().close();
});

test('without a Worker the page itself computes; without the engine it says so and shows what was computed', async t => {
  const page = await reading(t, {script: () => { globalThis.Worker = class { constructor() { throw new Error('no'); } }; }});
  if (!page) return;
  await field(page).fill('dogs chase');
  await field(page).press('Enter');
  await settled(page, 'dogs chase');
  agrees((await tables(page))[0], printed('dogs chase').next);
  assertNoTrouble(page);
  await page.context().close();

  writeFileSync(at('none.html'), readFileSync(at('page.html'), 'utf8').replace(/<script type="text\/plain" id="wasm">.*?<\/script>/s, ''));
  const none = await open(place, 'none.html');
  await none.waitForFunction(() => document.documentElement.dataset.engine === 'off');
  assert.match(await none.locator('.ask').innerText(), /cannot run in this page/);
  agrees((await tables(none))[0], printed(TEXT).next);
  assert.equal(await none.locator('textarea, .likely button').count(), 0);
  assertNoTrouble(none);
  await none.context().close();
});

test('it fits a phone, light and dark, and keeps nobody out', async t => {
  const page = await reading(t);
  if (!page) return;
  await page.locator('.known summary').click();
  assert.deepEqual(await barriersInLightAndDark(page), []);
  await page.getByRole('button', {name: /^Switch off/}).click();
  await page.locator('.both').waitFor();
  for (const width of [320, 600]) {
    await page.setViewportSize({width, height: 640});
    assert.equal(await overhang(page), 0, `${width}`);
  }
  assertNoTrouble(page);
  await page.context().close();
});

test('a page of some heads, or of changed numbers, stays as it was computed', () => {
  for (const flags of [['--layer', 1], ['--set', 'embeddings:x[0,0,0]=1']]) {
    glassgrad('inspect', at('run'), '--text', TEXT, ...flags, '--html', at('part.html'));
    assert.doesNotMatch(readFileSync(at('part.html'), 'utf8'), /id="wasm"|"weights"/);
  }
});

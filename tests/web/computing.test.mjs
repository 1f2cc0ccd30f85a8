// The engine beside the page: a number that is opened too early, a lesson that is computed only on request, places that
// let a page do little, and both matrices of a product.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {assertNoTrouble, barriers, barriersInLightAndDark, glassgrad, open, overhang, workplace} from './browser.mjs';
import {dataOf, hasEngine, opened, openLesson, reloadHeld, startEngine, written} from './lesson_page.mjs';

const place = workplace();
const required = process.env.REQUIRE_WASM === '1';
const CELL = 'scores:attn_scores[2,1]', PANEL = '.cell-panel:visible';
const skips = (t, page) => hasEngine(page).then(has => {
  assert.ok(has || !required, 'the page has no engine');
  if (!has) t.skip('built without WebAssembly');
  return !has;
});
const ready = page => page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');

// Writes the page of a lesson with changed data.
function changed(name, lesson, change) {
  const html = readFileSync(path.join(place.folder, written(place, lesson)), 'utf8'), data = dataOf(html);
  change(data);
  const text = JSON.stringify(data).replaceAll('<', '\\u003c');
  writeFileSync(path.join(place.folder, name), html.replace(/(<script type="application\/json" id="data">).*?(<\/script>)/s, (_, before, after) => before + text + after));
  return name;
}

test('a number that is opened before the engine is there waits, says so, and is answered', async t => {
  const file = written(place, 'journey');
  const page = await open(place, file);
  if (await skips(t, page)) return;
  await page.goto(`${page.url()}#scores`);
  await reloadHeld(page);
  await ready(page);
  await page.locator(`td[data-address="${CELL}"]`).click();
  const panel = page.locator(PANEL);
  await panel.getByText('The engine is starting').waitFor();
  assert.match(await panel.innerText(), /1\.4754/);
  await startEngine(page);
  await page.getByText('0.5700 · 0.5500 = 0.3135').waitFor();
  assert.doesNotMatch(await panel.innerText(), /starting/);
  assertNoTrouble(page);
  await page.context().close();
});

test('a number that is closed before its answer comes stays closed', async t => {
  const page = await openLesson(place, written(place, 'journey'));
  if (await skips(t, page)) return;
  await page.evaluate(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message) { setTimeout(() => post.call(this, message), 600); };
    location.hash = '#scores';
  });
  await page.locator(`td[data-address="${CELL}"]`).click();
  await page.keyboard.press('Escape');
  await page.waitForTimeout(400);  // a panel that waits is shown after 150 ms
  assert.equal(await page.locator(PANEL).count(), 0);
  assertNoTrouble(page);
  await page.context().close();
});

test('a heavy lesson is computed when the reader asks, in the panel of the number, and can be stopped', async t => {
  const page = await openLesson(place, written(place, 'gpt-attention'));
  if (await skips(t, page)) return;
  await page.waitForFunction(() => document.documentElement.dataset.engine === 'waits');
  await page.keyboard.press('ArrowRight');
  await page.locator('main td[data-address]').first().click();
  const panel = page.locator(PANEL), value = await panel.locator('.value strong').innerText();
  assert.match(await panel.innerText(), /This run takes 8\.1 billion multiplications/);
  assert.deepEqual(await barriers(page), [], 'the offer');
  await panel.getByRole('button', {name: 'Compute the lesson here'}).click();
  await page.waitForFunction(() => document.querySelector('.cell-panel progress')?.value > 0, null, {timeout: 60_000});
  assert.match(await panel.innerText(), /\d\.\d of 8\.1 billion multiplications, \d+ s/);
  assert.deepEqual(await barriers(page), [], 'while it computes');
  await page.setViewportSize({width: 390, height: 844});
  assert.equal(await overhang(page), 0);
  await panel.getByRole('button', {name: 'Stop'}).click();
  await panel.getByText('Stopped, as you wished.').waitFor();
  assert.equal(await panel.locator('.value strong').innerText(), value);
  await panel.getByRole('button', {name: 'Compute the lesson here'}).waitFor();
  assertNoTrouble(page);
  await page.context().close();
});

test('what has been computed on request answers, and proves itself', async t => {
  const file = changed('heavy.html', 'journey', data => { data.heavy = 'This run takes 0.3 billion multiplications.'; });
  const page = await openLesson(place, `${file}#${CELL}`);
  if (await skips(t, page)) return;
  await page.getByRole('button', {name: 'Compute the lesson here'}).click();
  await opened(page).waitFor();
  assert.match(await opened(page).innerText(), /0\.5700 · 0\.5500 = 0\.3135/);
  assert.match(await page.locator('.proof').innerText(), /all the same/);
  await page.locator('.cell-panel .edit input').fill('0.25');
  await page.keyboard.press('Enter');
  await page.locator('section.what-if:visible').waitFor();
  assertNoTrouble(page);
  await page.context().close();
});

test('a check that comes before the engine waits for it, and says so', async t => {
  glassgrad('build', 'attention', '--html', path.join(place.folder, 'course.html'));
  const page = await open(place, 'course.html');
  if (await skips(t, page)) return;
  await reloadHeld(page);
  await ready(page);
  await page.locator('textarea').fill('score = (query * key).sum()');
  await page.keyboard.press('Control+Enter');
  assert.match(await page.locator('.verdict').innerText(), /The engine is starting, then it checks your lines/);
  await startEngine(page);
  await page.locator('.verdict.right').waitFor({timeout: 60_000});
  assertNoTrouble(page);
  await page.context().close();
});

// A page in a frame, or served with a policy of its own; also without a network.
const FRAME = '<!doctype html><iframe sandbox="allow-scripts" style="width: 1100px; height: 700px" src="page"></iframe>';
const STRICT = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval'";
async function served(file, policy, framed) {
  const context = await place.browser.newContext({viewport: {width: 1200, height: 800}}), page = await context.newPage();
  page.trouble = [];
  page.on('pageerror', error => page.trouble.push(error.stack));
  const body = readFileSync(path.join(place.folder, file), 'utf8'), headers = policy ? {'Content-Security-Policy': policy} : {};
  await context.route('http://school.test/**', route => route.fulfill({contentType: 'text/html',
    ...new URL(route.request().url()).pathname === '/frame' ? {body: FRAME} : {body, headers}}));
  await page.goto(`http://school.test/${framed ? 'frame' : 'page'}`);
  const frame = framed ? await (await page.waitForSelector('iframe')).contentFrame() : page.mainFrame();
  await frame.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  return {page, frame};
}

const PLACES = {'a sandboxed frame': [null, true], 'a policy without Workers': [STRICT, false]};
for (const [name, [policy, framed]] of Object.entries(PLACES)) {
  test(`${name}: numbers, Set, Answer, Run and the search work`, async t => {
    const {page, frame} = await served(written(place, 'journey'), policy, framed);
    if (await skips(t, frame)) return;
    await frame.waitForFunction(() => document.documentElement.dataset.engine === 'ready', null, {timeout: 60_000});
    await frame.evaluate(() => { location.hash = 'scores'; });
    await frame.locator(`td[data-address="${CELL}"]`).click();
    await opened(frame).getByText('0.5700 · 0.5500 = 0.3135').waitFor();
    await frame.locator('.cell-panel .edit input').fill('0.25');
    await frame.getByRole('button', {name: 'Set', exact: true}).click();
    await frame.locator('section.what-if', {hasText: '1.4754 → 0.2500'}).waitFor();
    await frame.getByRole('button', {name: 'Take back (r)'}).click();
    await frame.locator('section.what-if').waitFor({state: 'hidden'});

    await frame.evaluate(() => { location.hash = 'masked-softmax'; });
    await frame.locator('.stage .code-line[role=button]').first().click();
    await frame.locator('.line-edit input').fill('attn_weights = masked');
    await frame.getByRole('button', {name: 'Run', exact: true}).click();
    await frame.locator('.code-line.edited').waitFor();
    await frame.locator('section.what-if:visible').waitFor();
    await frame.getByRole('button', {name: 'Take back (r)'}).click();
    await frame.locator('section.what-if').waitFor({state: 'hidden'});

    await frame.locator('body').press('p');
    await frame.locator('.predict input[type=radio]').first().check();
    await frame.getByRole('button', {name: 'Answer'}).click();
    await frame.locator('.predict .said:not(:empty)').waitFor();
    await frame.getByRole('button', {name: 'Show the step'}).click();
    await frame.locator('body').press('/');
    await frame.locator('#find-input').fill('dot product');
    await frame.locator('#find-input').press('Enter');
    await frame.locator('#step-title', {hasText: 'dot product'}).waitFor();
    await frame.locator('body').press('s');
    await frame.locator('#setting--seed').fill('7');
    await frame.getByRole('button', {name: 'Run the lesson'}).click();
    await frame.locator('dialog#settings').waitFor({state: 'hidden'});
    assert.match(await frame.locator('.colophon code').last().innerText(), /--seed 7/);
    assert.deepEqual(page.trouble, []);
    await page.context().close();
  });

  test(`${name}: an exercise is checked, and a loop without an end is stopped`, async t => {
    glassgrad('build', 'attention', '--html', path.join(place.folder, 'course.html'));
    const {page, frame} = await served('course.html', policy, framed);
    if (await skips(t, frame)) return;
    await frame.waitForFunction(() => document.documentElement.dataset.checks === 'yes', null, {timeout: 60_000});
    for (const [lines, verdict] of [['score = (query * key).sum()', /Right\./],
      ['while True: pass', /goes on for too long|has not come to an end in 10 seconds/]]) {
      await frame.locator('textarea').fill(lines);
      await frame.getByRole('button', {name: 'Check', exact: true}).click();
      await frame.locator('.verdict .sentence', {hasText: verdict}).waitFor({timeout: 60_000});
    }
    assert.deepEqual(page.trouble, []);
    await page.context().close();
  });
}

test('without Workers a line that never ends is stopped after its time', async t => {
  const {page, frame} = await served(written(place, 'journey'), STRICT, false);
  if (await skips(t, frame)) return;
  await frame.waitForFunction(() => document.documentElement.dataset.engine === 'ready', null, {timeout: 60_000});
  await frame.evaluate(() => { location.hash = 'masked-softmax'; });
  await frame.locator('.stage .code-line[role=button]').first().click();
  await frame.locator('.line-edit input').fill('while True: pass');
  await frame.locator('.line-edit input').press('Enter');
  await frame.getByText('It has not come to an end in 10 seconds, so it was stopped.').waitFor({timeout: 60_000});
  await page.context().close();
});

test('a policy that forbids WebAssembly is named, and no browser is blamed', async t => {
  const {page, frame} = await served(written(place, 'journey'), STRICT.replace(" 'wasm-unsafe-eval'", ''), false);
  if (await skips(t, frame)) return;
  await frame.waitForFunction(() => document.documentElement.dataset.engine === 'off');
  await frame.evaluate(() => { location.hash = 'scores'; });
  await frame.locator(`td[data-address="${CELL}"]`).click();
  const panel = await frame.locator(PANEL).innerText();
  assert.match(panel, /Content-Security-Policy[^]*glassgrad why journey 'scores:attn_scores\[2,1\]'/);
  assert.doesNotMatch(panel, /browser/);
  await page.context().close();
});

// Opens the last number of each tensor and adds up all its terms, if it is a row times a column.
const products = page => page.evaluate(async () => {
  const [back, next] = ['Back', 'Next'].map(name => document.querySelector(`.slider button[aria-label="${name}"]`));
  const wait = () => new Promise(done => setTimeout(done, 2));
  const panel = document.querySelector('.cell-panel'), found = {all: 0, unlit: []};
  while (!back.disabled) back.click();
  for (;;) {
    for (let i = 0; i < document.querySelectorAll('main figure.tensor').length; ++i) {
      const td = [...document.querySelectorAll('main figure.tensor')[i].querySelectorAll('td[data-address]')].at(-1);
      if (!td) continue;
      td.click();
      while (panel.dataset.opened !== td.dataset.address || 'waits' in panel.dataset || panel.hidden) await wait();
      const all = [...panel.querySelectorAll('.product button')].find(one => one.textContent === 'all');
      if (!all) continue;
      all.click();
      ++found.all;
      const terms = panel.querySelectorAll('.strip .in-row td').length;
      const lit = kind => panel.querySelectorAll(`.operand td.in-${kind}`).length;
      if (lit('row') !== terms || lit('column') !== terms) found.unlit.push(td.dataset.address);
    }
    if (next.disabled) return found;
    next.click();
  }
});

for (const [lesson, least] of Object.entries({journey: 60, climb: 15, 'heads.grouped': 10, latent: 15, 'weights.shared': 10})) {
  test(`${lesson}: of each product the row and the column are lit, in matrices that the step may not show`, async t => {
    const page = await openLesson(place, written(place, lesson));
    if (await skips(t, page)) return;
    const {all, unlit} = await products(page);
    assert.ok(all >= least, `${all} products`);
    assert.deepEqual(unlit, []);
    t.diagnostic(`${all} products`);
    assertNoTrouble(page);
    await page.context().close();
  });
}

test('a number of a tensor whose name has brackets opens', async t => {
  const page = await openLesson(place, `${written(place, 'gpt.scalars')}#given:matrices['up'][0,0]`);
  if (await skips(t, page)) return;
  await page.waitForFunction(() => document.documentElement.dataset.engine === 'ready', null, {timeout: 120_000});
  await opened(page).waitFor({timeout: 60_000});
  assert.equal(await opened(page).getAttribute('data-opened'), "given:matrices['up'][0,0]");
  assert.equal(await page.locator('td.opened').count(), 1);
  assertNoTrouble(page);
  await page.context().close();
});

test('terms light up one by one, also in a transpose that the step shows, also of numbers that no step shows', async t => {
  const page = await openLesson(place, `${written(place, 'journey')}#${CELL}`);
  if (await skips(t, page)) return;
  await opened(page).waitFor();
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  const texts = selector => page.locator(selector).allInnerTexts();
  assert.deepEqual(await texts('.operand td.in-row'), ['0.5700', '0.8500']);
  assert.deepEqual(await texts('.operand td.in-column'), ['0.5500', '0.8700']);
  assert.deepEqual(await texts('.operand td.now-added'), ['0.8500', '0.8700']);
  assert.deepEqual(await texts('.operand figcaption'), ['row of inputs (6 × 3)', 'column of inputs, transposed (3 × 6)']);
  assert.deepEqual(await page.locator('figure[data-tensor="inputs.T"] td.in-row').evaluateAll(all => all.map(td => td.dataset.address)),
    ['scores:inputs.T[0,2]', 'scores:inputs.T[1,2]']);
  assert.deepEqual(await barriersInLightAndDark(page), []);
  assertNoTrouble(page);
  await page.context().close();

  const climb = await openLesson(place, `${written(place, 'climb')}#gradients:first_gradient[0,1]`);
  await opened(climb).waitFor();
  await climb.keyboard.press('+');
  await climb.getByText('1 of', {exact: false}).first().waitFor();
  assert.match((await climb.locator('.operand figcaption').allInnerTexts()).join(), /no step shows/);
  await climb.setViewportSize({width: 390, height: 844});
  assert.equal(await overhang(climb), 0);
  assertNoTrouble(climb);
  await climb.context().close();
});

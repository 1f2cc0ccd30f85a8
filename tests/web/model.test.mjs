// The pages of `train --html` and `inspect --html`.
import assert from 'node:assert/strict';
import {readFileSync, statSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {before, test} from 'node:test';
import {assertNoTrouble, barriersInLightAndDark, glassgrad, json, open, overhang, workplace} from './browser.mjs';
import {flat, shows} from './lesson_page.mjs';

const place = workplace();
const TEXT = '<b> is a <script> & "so" on\n';
const at = name => path.join(place.folder, name);
let watched;

before(() => {
  writeFileSync(at('text.txt'), TEXT.repeat(60));
  glassgrad('train', '--text', at('text.txt'), '--tokenizer', 'word', '--layers', 2, '--heads', 3, '--width', 24, '--context', 16,
    '--batch', 4, '--steps', 60, '--eval-every', 10, '--out', at('run'), '--html', at('training.html'));
  glassgrad('inspect', at('run'), '--text', TEXT.trim(), '--html', at('inspect.html'));
  watched = JSON.parse(readFileSync(at('run/watch.json'), 'utf8'));
});

async function ready(file, view) {
  const page = await open(place, file, view);
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  return page;
}
const weights = page => page.locator('.numbers table.matrix tbody td').allInnerTexts();
const tokensIn = (page, selector) => page.locator(`${selector} .token`).allTextContents();
const inside = (low, x, high) => assert.ok(low <= x && x <= high, `${low} <= ${x} <= ${high}`);

test('the training page follows the slider through the recordings', async () => {
  const page = await ready('training.html');
  const last = watched.recordings.at(-1), slider = page.locator('.slider input[type=range]');
  assert.equal(Number(await slider.getAttribute('max')), watched.recordings.length - 1);
  // Before the first step, after each validation, and on the way to the first one.
  assert.deepEqual(watched.recordings.map(recording => recording.step), [0, 1, 2, 5, 10, 20, 30, 40, 50, 60]);
  const check = async recording => {
    assert.match(await page.locator('.slider output').innerText(), new RegExp(`step ${recording.step}\\b`));
    assert.deepEqual(await tokensIn(page, '.sample'), [...watched.tokens, ...recording.sample]);
    const shown = await weights(page), numbers = flat(recording.attention[0][0]);
    assert.equal(shown.length, numbers.length);
    numbers.forEach((number, i) => assert.ok(shows(shown[i], number), `${shown[i]} for ${number}`));
    const likely = await page.locator('.likely tbody td').allInnerTexts();
    recording.next.forEach((next, i) => assert.ok(shows(likely[i].trim(), next.probability)));
  };
  await check(last);
  await page.locator('.slider button').first().click();
  await check(watched.recordings.at(-2));
  await slider.focus();
  await page.keyboard.press('Home');
  await check(watched.recordings[0]);
  await page.keyboard.press('ArrowRight');
  await check(watched.recordings[1]);
  assert.equal(await page.evaluate(() => location.hash), '#step-1');
  const curve = await page.locator('#curve svg').boundingBox();
  await page.mouse.click(curve.x + curve.width * 0.95, curve.y + curve.height / 2);
  await check(last);
  assertNoTrouble(page);
  await page.context().close();
});

test('a link leads to a recording of the training', async () => {
  const page = await ready('training.html#step-20');
  assert.match(await page.locator('.slider output').innerText(), /step 20\b/);
  await page.evaluate(() => { location.hash = '#step-30'; });
  await page.waitForFunction(() => document.querySelector('.slider output').textContent.includes('step 30'));
  assertNoTrouble(page);
  await page.context().close();
});

test('the inspected heads have the numbers of `inspect --format json`', async () => {
  const page = await ready('inspect.html');
  const recorded = json('inspect', at('run'), '--text', TEXT.trim());
  const tensor = (step, name) => recorded.steps.find(s => s.id === step).tensors.find(t => t.name === name);
  assert.deepEqual(await tokensIn(page, '.reading'), recorded.tokens);
  assert.ok(recorded.tokens.some(token => token.includes('<')), recorded.tokens.join());
  const heads = page.locator('button.head');
  assert.equal(await heads.count(), 6);
  for (let i = 0; i < 6; ++i) {
    await heads.nth(i).click();
    const numbers = flat(tensor(`layer-${Math.floor(i / 3)}-weights`, 'attn_weights').data[0][i % 3]);
    const shown = await weights(page);
    assert.equal(shown.length, numbers.length);
    numbers.forEach((number, k) => assert.ok(shows(shown[k], number), `${shown[k]} for ${number}`));
  }
  const probabilities = flat(tensor('next-token', 'probabilities').data).sort((a, b) => b - a);
  const likely = await page.locator('.likely tbody td').allInnerTexts();
  likely.forEach((text, i) => assert.ok(shows(text.trim(), probabilities[i])));
  assertNoTrouble(page);
  await page.context().close();
});

test('pointing at a token, or the focus on it, shows its weights', async () => {
  const page = await ready('inspect.html');
  const tokens = await tokensIn(page, '.reading'), last = tokens.length - 1;
  const row = (await weights(page)).slice(last * tokens.length);
  const shown = () => page.locator('.looked-at .weight').allTextContents();
  assert.deepEqual(await shown(), tokens.map(() => ''));
  await page.locator('.looking button').nth(last).hover();
  assert.deepEqual(await shown(), row);
  await page.mouse.move(0, 0);
  assert.deepEqual(await shown(), tokens.map(() => ''));
  await page.locator('.looking button').first().focus();
  await page.keyboard.press('ArrowDown');
  assert.equal((await shown())[0], (await weights(page))[tokens.length]);
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('.looking button[aria-pressed=true]').count(), 1);
  await page.locator('button.head').first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  assert.match(await page.locator('.chosen h3').innerText(), /Layer 0, head 1/);
  assertNoTrouble(page);
  await page.context().close();
});

for (const file of ['training.html', 'inspect.html']) {
  test(`${file}: printed, it keeps its squares, tokens and bars`, async () => {
    const page = await ready(file, {colorScheme: 'dark'});
    await page.emulateMedia({media: 'print', colorScheme: 'dark'});
    for (const [part, count] of [['button.head canvas', 6], ['.looking button', await page.locator('.looking button').count()],
      ['.looked-at .token', await page.locator('.looked-at .token').count()], ['.likely .share', await page.locator('.likely .share').count()]]) {
      assert.ok(count > 0, part);
      assert.equal(await page.locator(`${part}:visible`).count(), count, part);
    }
    assert.equal(await page.locator('.likely .share').first().evaluate(bar => getComputedStyle(bar).printColorAdjust), 'exact');
    assert.equal(await page.locator('button.theme:visible, .slider:visible').count(), 0);
    assertNoTrouble(page);
    await page.context().close();
  });
}

test('the letters of the curve can be read, light and dark', async () => {
  const page = await ready('training.html');
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({colorScheme});
    const contrast = await page.evaluate(() => {
      const light = colour => {
        const [r, g, b] = colour.match(/[\d.]+/g).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const paper = light(getComputedStyle(document.body).backgroundColor);
      return Math.min(...[...document.querySelectorAll('#curve text')].map(text => light(getComputedStyle(text).fill))
        .map(ink => (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)));
    });
    assert.ok(contrast >= 4.5, `${colorScheme}: ${contrast}`);
  }
  assertNoTrouble(page);
  await page.context().close();
});

for (const file of ['training.html', 'inspect.html']) {
  test(`${file}: small, readable in light and dark, on a phone, on paper and without scripts`, async () => {
    inside(20_000, statSync(at(file)).size, file === 'inspect.html' ? 5e6 : 2e6);  // with the engine
    const page = await ready(file, {colorScheme: 'light'});
    assert.deepEqual(await barriersInLightAndDark(page), []);
    for (const width of [320, 600]) {
      await page.setViewportSize({width, height: 640});
      assert.equal(await overhang(page), 0, `${width}`);
    }
    assert.ok((await page.pdf({format: 'A4'})).length > 10_000);
    assertNoTrouble(page);
    await page.context().close();
    const plain = await open(place, file, {javaScriptEnabled: false});
    assert.match(await plain.locator('body').innerText(), /2 layers of 3 heads/);
    assert.ok((await tokensIn(plain, 'main')).length > 5);
    await plain.context().close();
  });
}

test('a page written anew from the finished run is the same', () => {
  glassgrad('train', '--out', at('run'), '--resume', '--html', at('again.html'));
  assert.equal(readFileSync(at('again.html'), 'utf8'), readFileSync(at('training.html'), 'utf8'));
});

// Pictures that play: a product whose numbers fly, a softmax as bars, a mask that falls.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {assertNoTrouble, barriers, barriersInLightAndDark, glassgrad, overhang, workplace} from './browser.mjs';
import {hasEngine, opened, openLesson, written} from './lesson_page.mjs';

const place = workplace();
const journey = hash => `${written(place, 'journey')}#${hash}`;

// Opens a number's page; null, and the test is skipped, without the engine.
async function opensNumber(t, hash, view) {
  const page = await openLesson(place, journey(hash), view);
  if (await hasEngine(page)) {
    await opened(page).waitFor();
    return page;
  }
  t.skip('without the engine there is nothing to play');
  await page.context().close();
  return null;
}
// What a picture has added to the page: chips, covers, highlights of the tables.
const leftovers = page => page.locator('.sky, .chip, .cover, .fallen, .tensors :is(.in-row, .in-column, .now-added)').count();
const play = (page, name = 'Play') => page.getByRole('button', {name, exact: true});
// Waits until so many elements match, and then presses a picture's button if one is named, all in the page itself: from outside
// a slow machine would look too late. Returns the button's words.
const whenThere = (page, elements, count = 1, picture = null) => page.evaluate(([elements, count, picture]) => new Promise(done => {
  const look = () => {
    if (document.querySelectorAll(elements).length < count) return;
    watch.disconnect();
    const button = picture && document.querySelector(`${picture} button.play`);
    done(button?.textContent);
    button?.click();
  };
  const watch = new MutationObserver(look);
  watch.observe(document.body, {childList: true, subtree: true, attributeFilter: ['class']});
  look();
}), [elements, count, picture]);

// Counts how often a screen reader would hear the status, and how many numbers fly at once.
const watch = (page, part) => page.evaluate(selector => {
  globalThis.seen = {said: [], chips: 0, covers: new Set()};
  new MutationObserver(() => seen.said.push(document.querySelector(`${selector} [role=status]`).textContent))
    .observe(document.querySelector(`${selector} [role=status]`), {childList: true, characterData: true, subtree: true});
  new MutationObserver(() => {
    seen.chips = Math.max(seen.chips, document.querySelectorAll('.chip').length);
    for (const cover of document.querySelectorAll('td > .cover')) seen.covers.add(cover.dataset.number);
  }).observe(document.body, {childList: true, subtree: true, attributeFilter: ['data-number']});
}, part);
const seen = page => page.evaluate(() => ({...globalThis.seen, covers: [...globalThis.seen.covers]}));

for (const [width, reducedMotion] of [[1300, 'no-preference'], [1300, 'reduce'], [390, 'no-preference']]) {
  test(`a product plays until the number stands there: ${width} px wide, motion: ${reducedMotion}`, async t => {
    const page = await opensNumber(t, 'context:all_context_vecs[1,2]', {viewport: {width, height: 900}, reducedMotion});
    if (!page) return;
    const product = page.locator('.product');
    await watch(page, '.product');
    await play(page).click();
    await page.waitForFunction(() => document.querySelectorAll('.product .terms li').length >= 2 &&
      document.querySelector('.product button.play').textContent === 'Pause');
    assert.deepEqual(await barriers(page), [], 'while it plays');
    assert.equal(await overhang(page), 0);
    await play(page).waitFor();
    assert.equal(await product.locator('[role=status]').innerText(), 'All 6 terms: 0.5683, the number itself.');
    assert.equal(await product.locator('.terms li').count(), 6);
    assert.equal(await page.locator('.chip, .cover').count(), 0);
    assert.equal(await page.locator('td.opened').innerText(), '0.5683');
    const {said, chips, covers} = await seen(page);
    assert.deepEqual(said, ['All 6 terms: 0.5683, the number itself.'], 'one sentence, at the end');
    assert.equal(chips, reducedMotion === 'reduce' ? 0 : 3, 'two numbers and their product');
    const sums = await page.evaluate(() => [...document.querySelectorAll('.product .terms strong')].map(sum => sum.textContent.slice(4)));
    assert.deepEqual(covers.filter(Boolean), sums.slice(0, -1), 'the cell shows the sums of the engine');
    assert.deepEqual(await barriers(page), [], 'at the end');
    assertNoTrouble(page);
    await page.context().close();
  });
}

test('a product that plays stays where it is paused, and leaves nothing behind', async t => {
  const page = await opensNumber(t, 'context:all_context_vecs[1,2]');
  if (!page) return;
  const product = page.locator('.product');
  const flying = () => whenThere(page, '.chip');
  const paused = whenThere(page, '.chip', 1, '.product');
  await play(page).click();
  assert.equal(await paused, 'Pause');
  assert.equal(await page.locator('.chip, .cover').count(), 0);
  const status = await product.locator('[role=status]').innerText(), terms = await product.locator('.terms li').count();
  await page.waitForTimeout(1000);
  assert.equal(await product.locator('.terms li').count(), terms, 'a pause holds');
  assert.equal(await product.locator('[role=status]').innerText(), status);

  // Space plays and pauses inside the product.
  await page.keyboard.press('+');
  await product.locator('.terms').focus();
  await page.keyboard.press('Space');
  await flying();
  await page.keyboard.press('Space');
  assert.equal(await page.locator('.chip').count(), 0);

  const ways = {
    'Escape': () => page.keyboard.press('Escape'),
    '×': () => page.getByRole('button', {name: 'Close the number'}).click(),
    'the next step': () => page.keyboard.press('n'),
    'another number': () => page.locator('td[data-address="context:all_context_vecs[0,0]"]').click(),
    'typing': () => page.locator('.edit input').fill('0.5'),
    'a new number': async () => {
      await page.keyboard.press('e');
      await page.locator('.edit input').fill('0.7');
      await page.keyboard.press('Enter');
      await page.locator('.what-if:visible').waitFor();
    },
  };
  for (const [way, leave] of Object.entries(ways)) {
    await page.evaluate(() => { location.hash = 'context:all_context_vecs[1,2]'; });
    await opened(page).waitFor();
    await page.waitForFunction(() => document.querySelector('.cell-panel').dataset.opened === 'context:all_context_vecs[1,2]');
    await play(page).click();
    await flying();
    await leave();
    assert.equal(await page.locator('.chip, .cover').count(), 0, way);
    if (way !== 'typing') assert.equal(await leftovers(page), 0, way);
    await page.waitForTimeout(800);
    assert.equal(await page.locator('.chip, .cover').count(), 0, `${way}, later`);
  }
  assertNoTrouble(page);
  await page.context().close();
});

test('a softmax: the bars have the numbers of the engine', async t => {
  const page = await opensNumber(t, 'masked-softmax:attn_weights[2,1]');
  if (!page) return;
  const part = page.locator('.softmax'), numbers = () => part.locator('tbody tr:not(.sum-row) td:nth-child(4)').allInnerTexts();
  const bars = () => part.locator('tbody tr:not(.sum-row) .length i').evaluateAll(all => all.map(bar => Number(bar.style.getPropertyValue('--length'))));
  const sum = part.locator('.sum-row .number');
  assert.deepEqual(await part.locator('tbody th').allTextContents(), ['Your', '▸ opened: journey', 'starts', 'with', 'one', 'step', 'sum']);
  assert.deepEqual(await part.locator('tbody tr:not(.sum-row) td:nth-child(2)').allInnerTexts(),
    ['0.3249', '0.1204', '0.1224', '-inf', '-inf', '-inf']);
  await page.keyboard.press('+');
  assert.deepEqual(await numbers(), ['0.0000', '-0.2044', '-0.2025', '-inf', '-inf', '-inf']);
  await page.keyboard.press('+');
  const exps = glassgrad('why', 'journey', 'masked-softmax:attn_weights[2,1]').match(/(?<=exp\(.*\) = )\S+$/gm);
  assert.deepEqual(await numbers(), exps);
  assert.deepEqual(await bars(), [1, 0.8151, 0.8167, 0, 0, 0]);
  assert.equal(await sum.innerText(), '2.6318');
  await page.keyboard.press('-');
  assert.deepEqual(await bars(), [0, 0, 0, 0, 0, 0]);
  await watch(page, '.softmax');
  await play(page).click();
  await play(page).waitFor();
  assert.deepEqual(await numbers(), await page.locator('td[data-address^="masked-softmax:attn_weights[2,"]').allTextContents());
  assert.equal(await sum.innerText(), '1.0000');
  assert.equal((await bars()).reduce((all, one) => all + one, 0).toFixed(3), '1.000');
  assert.deepEqual((await seen(page)).said, ['Each exp divided by 2.6318: the sum is 1.0000.']);
  assert.deepEqual(await barriersInLightAndDark(page), []);
  await page.setViewportSize({width: 320, height: 640});
  assert.equal(await overhang(page), 0);
  await page.evaluate(() => { location.hash = 'masked-softmax:scaled_scores[2,1]'; });
  await page.waitForFunction(() => document.querySelector('.cell-panel').dataset.opened.includes('scaled_scores'));
  assert.equal(await part.count(), 0, 'a score is no result of a softmax');
  assertNoTrouble(page);
  await page.context().close();
});

for (const reducedMotion of ['no-preference', 'reduce']) {
  test(`a mask falls over the numbers that were there before, motion: ${reducedMotion}`, async () => {
    const page = await openLesson(place, journey('unmasked-weights'), {reducedMotion});
    const table = name => page.locator(`[data-tensor="${name}"] td[data-address]`).allTextContents();
    const before = await table('attn_scores');
    await page.evaluate(() => { location.hash = 'masked-scores'; });
    const figure = page.locator('[data-tensor="masked"]');
    await figure.waitFor();
    const after = await table('masked');
    assert.equal(await page.locator('.mask-play').count(), 1, 'the mask itself has no such button');
    await watch(page, '.mask-play');
    const paused = whenThere(page, '.fallen', 9, '.mask-play');  // two of five rows
    const covers = await play(page, 'Play the mask').evaluate(button => {
      button.click();
      return [...document.querySelectorAll('[data-tensor="masked"] .cover')].map(cover => cover.dataset.number);
    });
    assert.deepEqual(covers, before.filter((_, flat) => after[flat] === '-inf'), 'the scores before');
    assert.equal(await paused, 'Pause the mask');
    assert.equal(await figure.locator('.fallen').count(), 9);
    assert.equal(await figure.locator('.cover').count(), 6);
    assert.match(await figure.locator('[role=status]').innerText(), /^Row journey: 4 numbers become -inf\.$/);
    await page.waitForTimeout(1000);
    assert.equal(await figure.locator('.cover').count(), 6, 'a pause holds');
    assert.deepEqual(await barriers(page), []);
    await play(page, 'Play the mask').click();
    await figure.locator('[role=status]', {hasText: 'The mask has fallen: 15 numbers are -inf.'}).waitFor();
    assert.deepEqual(await table('masked'), after);
    assert.equal(await leftovers(page), 0);
    assert.deepEqual((await seen(page)).said.length, 2);

    await play(page, 'Play the mask').click();
    await page.keyboard.press('Escape');
    assert.deepEqual(await table('masked'), after, 'Escape');
    assert.equal(await leftovers(page), 0);
    // Written in place, in a batch: each head's or sentence's rows fall together.
    await page.evaluate(() => { location.hash = 'split-masked-scores'; });
    await page.locator('[data-tensor="attn_scores"]').waitFor();
    await play(page, 'Play the mask').click();
    await whenThere(page, '.cover');
    await page.keyboard.press('n');
    assert.equal(await leftovers(page), 0, 'the next step');
    assertNoTrouble(page);
    await page.context().close();
  });
}

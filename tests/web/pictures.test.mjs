// Blocks for masked cells, one sentence of a batch, bars of the reader's query, a product term by term.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {assertNoTrouble, barriers, overhang, workplace} from './browser.mjs';
import {hasEngine, openLesson, written} from './lesson_page.mjs';

const place = workplace();
const journey = hash => `${written(place, 'journey')}#${hash}`;

test('masked cells are blocks, in scores and in weights, and are called masked', async () => {
  const page = await openLesson(place, journey('masked-softmax'));
  for (const tensor of ['scaled_scores', 'attn_weights']) {
    const blocks = page.locator(`[data-tensor="${tensor}"] td.block-out`);
    assert.equal(await blocks.count(), 15, tensor);
    assert.match(await blocks.first().getAttribute('aria-label'), /^masked, /);
    assert.equal(await blocks.first().evaluate(td => getComputedStyle(td).color), 'rgba(0, 0, 0, 0)');
  }
  assert.equal(await page.locator('[data-tensor="exps"] td.block-out').count() % 15, 0);
  await page.evaluate(() => { location.hash = 'dropout-ones'; });
  await page.locator('[data-tensor="dropped_example"] td').first().waitFor();
  assert.equal(await page.locator('td.block-out').count(), 0, 'what dropout makes 0 is not masked');
  assertNoTrouble(page);
  await page.context().close();
});

test('of a batch the first sentence is shown; a button or f shows the others, and so does a link', async () => {
  const page = await openLesson(place, journey('causal-scores'));
  const tables = page.locator('[data-tensor="attn_scores"] table');
  assert.equal(await tables.count(), 1);
  assert.match(await page.locator('p.others').first().innerText(), /^The same for the other sentence\./);
  await page.locator('button.others').first().click();
  assert.equal(await tables.count(), 2);
  await page.keyboard.press('n');
  await page.keyboard.press('f');
  assert.equal(await page.locator('p.others').count(), 0);
  await page.keyboard.press('f');
  assert.notEqual(await page.locator('p.others').count(), 0);
  await page.evaluate(() => { location.hash = 'causal-scores:attn_scores[1,2,1]'; });
  await page.locator('td.opened').waitFor();
  assert.equal(await page.locator('td.opened').getAttribute('data-address'), 'causal-scores:attn_scores[1,2,1]');
  assertNoTrouble(page);
  await page.context().close();
});

test('bars follow the query that the reader is at', async () => {
  const page = await openLesson(place, journey('masked-softmax'));
  const bars = page.locator('[data-tensor="attn_weights"] .bars');
  assert.equal(await bars.locator('.looks').innerText(), 'step looks at');
  await page.locator('td[data-address="masked-softmax:attn_weights[1,0]"]').hover();
  assert.equal(await bars.locator('.looks').innerText(), 'journey looks at');
  assert.deepEqual(await bars.locator('.number').allInnerTexts(),
    ['0.5517', '0.4483', 'masked', 'masked', 'masked', 'masked']);
  await page.locator('td[data-address="masked-softmax:attn_weights[1,0]"]').focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(await bars.locator('.looks').innerText(), 'starts looks at');
  assert.equal(Number(await bars.locator('rect').first().getAttribute('width')).toFixed(0), '38');
  assertNoTrouble(page);
  await page.context().close();
});

test('only weights say where a query looks: scores, gradients and random numbers do not', async () => {
  const page = await openLesson(place, journey('scores'));
  const looks = tensor => page.locator(`[data-tensor="${tensor}"] .looks`).count();
  assert.equal(await looks('attn_scores'), 0);
  for (const [step, tensor, bars] of [['weights', 'attn_weights', 1], ['masked-scores', 'masked', 0], ['masked-softmax', 'scaled_scores', 0]]) {
    await page.evaluate(to => { location.hash = to; }, step);
    await page.locator(`[data-tensor="${tensor}"]`).waitFor();
    assert.equal(await looks(tensor), bars, `${step}:${tensor}`);
  }
  await page.evaluate(() => { location.hash = 'masked-softmax'; });
  await page.locator('[data-tensor="attn_weights"]').waitFor();
  await page.keyboard.press('B');
  await page.waitForFunction(() => document.body.dataset.side === 'backward');
  assert.equal(await page.locator('.looks').count(), 0, 'gradients');
  assertNoTrouble(page);
  await page.context().close();
});

for (const width of [1300, 390]) {
  test(`a product grows term by term until the number stands there, ${width} px wide`, async t => {
    const page = await openLesson(place, journey('context:all_context_vecs[1,2]'), {viewport: {width, height: 900}});
    if (!await hasEngine(page)) return t.skip('without the engine there are no terms');
    const product = page.locator('.product'), state = product.locator('[role=status]');
    assert.match(await state.innerText(), /^A row times a column: 6 terms\./);
    await page.keyboard.press('+');
    assert.equal(await state.innerText(), '1 of 6 terms: 0.1233');
    assert.equal(await product.locator('.strip .in-row td').count(), 6);
    for (const key of ['+', '=']) await page.keyboard.press(key);
    assert.equal(await product.locator('.terms li').count(), 3);
    await page.keyboard.press('-');
    assert.equal(await product.locator('.terms li').count(), 2);
    assert.equal(await product.locator('.strip td.now').count(), 2);
    assert.deepEqual(await barriers(page), []);
    assert.equal(await overhang(page), 0);
    await product.getByRole('button', {name: 'all'}).click();
    assert.equal(await state.innerText(), 'All 6 terms: 0.5683, the number itself.');
    assert.equal(await page.locator('.cell-panel .value strong').innerText(), '0.5683');
    // Its row and column light up in the tables that the step has.
    await page.evaluate(() => { location.hash = 'v1-projections:keys[1,0]'; });
    await page.waitForFunction(() => document.querySelector('.cell-panel').dataset.opened === 'v1-projections:keys[1,0]');
    await page.keyboard.press('+');
    assert.equal(await page.locator('td.in-column').count(), 2, 'of the matrix in the panel, and of the step');
    assert.equal(await page.locator('td.in-column.now-added[data-address]').getAttribute('data-address'), 'v1-projections:W_key[0,0]');
    await page.evaluate(() => { location.hash = 'trainable-weights-2:scaled_scores_2[0]'; });
    await page.waitForFunction(() => document.querySelector('.cell-panel').dataset.opened.startsWith('trainable'));
    await page.keyboard.press('+');
    await page.getByText('This number is no row times a column').first().waitFor();
    assertNoTrouble(page);
    await page.context().close();
  });
}

// Opening numbers: their arithmetic, deep links, the keyboard, the message for an address that does not exist.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {assertNoTrouble, barriers, barriersInLightAndDark, json, overhang, workplace} from './browser.mjs';
import {hasEngine, opened, openLesson, shows, written} from './lesson_page.mjs';

const place = workplace();
const hash = page => page.evaluate(() => decodeURIComponent(location.hash));

// [step, tensor, index]: one for each kind of op in the lessons.
const CELLS = {
  journey: [['inputs', 'inputs', '1,1'], ['dot-product', 'res', ''], ['scores-2', 'attn_scores_2', '3'],
    ['weights', 'attn_weights', '1,2'], ['context', 'all_context_vecs', '1,2'], ['masked-softmax', 'attn_weights', '2,1'],
    ['dropout-weights', 'dropped_weights', '0,0'], ['split-combined', 'context_vec', '0,0,1']],
  'single-and-multi': [], cat: [], 'autograd.softmax': [],
};

for (const [lesson, named] of Object.entries(CELLS)) {
  test(`${lesson}: a click opens a number, with the value that \`why\` has`, async () => {
    const page = await openLesson(place, written(place, lesson));
    const {steps} = json('learn', lesson);
    const some = named.filter(([step, tensor]) => steps.find(s => s.id === step)?.tensors.some(t => t.name === tensor));
    // For lessons without a list of their own: the first number of about six steps.
    for (let at = 0; !named.length && at < steps.length; at += Math.ceil(steps.length / 6)) {
      const tensor = steps[at].tensors.find(t => t.data !== undefined && t.shape.every(size => size > 0));
      if (tensor && steps[at].tensors.filter(t => t.name === tensor.name).length === 1)
        some.push([steps[at].id, tensor.name, tensor.shape.map(() => 0).join()]);
    }
    assert.ok(some.length >= 2, `${some.length} numbers to open`);
    for (const [step, tensor, index] of some) {
      const address = `${step}:${tensor}${index === '' ? '' : `[${index}]`}`;
      await page.evaluate(to => { location.hash = to; }, step);
      await page.waitForFunction(to => location.hash === `#${to}`, step);
      await page.locator(`td[data-address="${address}"]`).click();
      await opened(page).waitFor();
      assert.equal(await hash(page), `#${address}`);
      const why = json('why', lesson, address);
      assert.ok(shows((await opened(page).locator('.value strong').innerText()).trim(), why.value), `${address} is ${why.value}`);
      assert.equal(await opened(page).getAttribute('data-opened'), address);
      const arithmetic = await opened(page).innerText();
      if (await hasEngine(page)) assert.doesNotMatch(arithmetic, /does not have the arithmetic/);
      await page.keyboard.press('Escape');
      assert.equal(await opened(page).count(), 0);
    }
    assertNoTrouble(page);
    await page.context().close();
  });
}

test('a deep link opens its number, and another one follows it', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#masked-softmax:attn_weights[2,1]`);
  assert.equal(await opened(page).locator('.value strong').innerText(), '0.3097');
  assert.equal(await page.locator('td.opened').innerText(), '0.3097');
  if (await hasEngine(page)) {
    assert.match(await opened(page).innerText(), /query "starts" looks at key "journey"/);
    assert.ok(await page.locator('td.source').count() >= 3, 'the scores of its row are marked');
  }
  await page.evaluate(() => { location.hash = '#scores:attn_scores[1,0]'; });
  await page.waitForFunction(() => document.querySelector('.cell-panel').dataset.opened === 'scores:attn_scores[1,0]');
  await page.evaluate(() => { location.hash = '#no-such-step'; });
  await page.getByText('This lesson has no #no-such-step').first().waitFor();
  assertNoTrouble(page);
  await page.context().close();
});

test('the arithmetic leads on: an operand opens, and there is a way back', async () => {
  const page = await openLesson(place, `${written(place, 'autograd.softmax')}#question:weights[0]`);
  const before = await opened(page).getAttribute('data-opened');
  const operand = opened(page).locator('.arithmetic [data-address]').first();
  const to = await operand.getAttribute('data-address');
  const has = address => page.waitForFunction(one => document.querySelector('.cell-panel').dataset.opened === one, address);
  await operand.click();
  await has(to);
  await page.keyboard.press('Backspace');
  await has(before);
  assertNoTrouble(page);
  await page.context().close();
});

test('a number leads to its gradient and back', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#trainable-context-2`);
  await page.keyboard.press('Shift+B');
  await page.waitForFunction(() => document.body.dataset.side === 'backward');
  await page.keyboard.press('Shift+B');
  await page.waitForFunction(() => document.body.dataset.side === 'forward');
  assertNoTrouble(page);
  await page.context().close();
});

test('the keyboard reaches everything', async () => {
  const page = await openLesson(place, written(place, 'journey'));
  const title = () => page.locator('#step-title').innerText();
  const first = await title();
  await page.keyboard.press('ArrowRight');
  const second = await title();
  assert.notEqual(second, first);
  await page.keyboard.press('b');
  assert.equal(await title(), first);
  await page.keyboard.press('Shift+G');
  assert.equal(await title(), json('learn', 'journey').steps.at(-1).title);

  await page.evaluate(() => { location.hash = '#inputs'; });
  await page.waitForFunction(() => document.querySelector('#step-title').textContent === 'A sentence as numbers');
  // The list of the steps can be skipped: it comes first.
  await page.locator('a.skip').focus();
  await page.keyboard.press('Enter');
  for (let i = 0; i < 20 && !await page.evaluate(() => document.activeElement.matches('td')); ++i) await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), '0.4300', 'Tab comes to the first number');
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, 'none', 'the focus can be seen');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), '0.8700');
  await page.keyboard.press('Enter');
  assert.equal(await hash(page), '#inputs:inputs[1,1]');
  await page.keyboard.press('Escape');

  for (const [key, id] of [['?', 'help'], ['s', 'settings']]) {
    await page.keyboard.press(key);
    await page.locator(`dialog#${id}[open]`).waitFor();
    assert.deepEqual(await barriers(page), []);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('dialog[open]').count(), 0);
  }
  assertNoTrouble(page);
  await page.context().close();
});

test('an opened number, the map and a question: nothing keeps anybody from reading them', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#masked-softmax:attn_weights[2,1]`);
  assert.deepEqual(await barriersInLightAndDark(page), []);
  await page.keyboard.press('Escape');
  await page.keyboard.press('w');
  await page.locator('dialog[open]').waitFor();
  assert.deepEqual(await barriers(page), [], 'map');
  await page.keyboard.press('Escape');
  await page.keyboard.press('p');
  assert.deepEqual(await barriers(page), [], 'predict');
  await page.setViewportSize({width: 360, height: 640});
  assert.equal(await overhang(page), 0);
  assertNoTrouble(page);
  await page.context().close();
});

test('the map shows the whole lesson and the place in it, grows and shrinks, and leads to other steps', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#weights`);
  const boxes = page.locator('#picture [role=link]'), named = selector => page.locator(`#picture ${selector} .title`).allTextContents();
  const scale = () => page.locator('svg.picture').evaluate(svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width);
  await page.getByRole('button', {name: 'Map'}).click();
  assert.ok(await boxes.count() > 100);
  assert.deepEqual(await named('.here'), ['attn_weights']);
  assert.deepEqual((await named('.before')).sort(), ['attn_scores', 'inputs']);
  assert.deepEqual((await named('.after')).sort(), ['all_context_vecs', 'row_sums']);
  assert.ok(await page.locator('#picture .here').evaluate(box => {
    const [at, area] = [box, document.querySelector('.picture-area')].map(one => one.getBoundingClientRect());
    return at.top >= area.top && at.bottom <= area.bottom && at.left >= area.left && at.right <= area.right;
  }), 'the place is in view');
  const before = await scale();
  await page.keyboard.press('+');
  assert.ok(await scale() > before * 1.2);
  await page.getByRole('button', {name: 'All', exact: true}).click();
  assert.ok(await page.locator('.picture-area').evaluate(area => area.scrollHeight <= area.clientHeight + 1 && area.scrollWidth <= area.clientWidth + 1));
  await page.keyboard.press('h');
  const area = await page.locator('.picture-area').boundingBox(), top = () => page.locator('.picture-area').evaluate(one => one.scrollTop);
  const was = await top();
  await page.mouse.move(area.x + 20, area.y + 200);
  await page.mouse.down();
  await page.mouse.move(area.x + 20, area.y + 140, {steps: 4});
  await page.mouse.up();
  assert.equal(Math.round(await top() - was), 60);
  await page.locator('#picture [data-address="context:all_context_vecs"]').focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('dialog[open]').count(), 0);
  assert.match(page.url(), /#context:all_context_vecs$/);
  await page.goto(`${page.url().split('#')[0]}#weights:attn_weights[1,2]`);
  await opened(page).getByRole('button', {name: 'On the map'}).click();
  assert.deepEqual(await named('.here'), ['attn_weights']);
  assertNoTrouble(page);
  await page.context().close();
});

test('a question about a number asks in words', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#scores`);
  const words = await page.evaluate(() => JSON.parse(document.querySelector('#data').textContent).questions.map(question => question.words));
  assert.deepEqual(words.filter(text => !/[?.]$/.test(text) || /^[a-z_]+[#\d]*[[.]/.test(text)), []);
  for (const asked of ['Query "journey" looks at key "Your": what number does attn_scores#1 have there?', 'What is the shape of attn_scores?',
    'What do the numbers of attn_weights_2 add to?', 'Query "journey": what do the numbers of masked_simple add to in this row?',
    'How large is the last dimension of context_vecs?', 'What number is res?'])
    assert.ok(words.includes(asked), asked);
  assertNoTrouble(page);
  await page.context().close();
});

test('a question is chosen, hinted and opened after a miss, by keyboard alone', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#masked-softmax`, {reducedMotion: 'reduce'});
  await page.keyboard.press('p');
  const form = page.locator('.predict');
  assert.match(await form.innerText(), /At which key is attn_weights largest/);
  assert.equal(await form.locator('input[type=radio]').count(), 6);
  assert.equal(await page.locator('main td').filter({hasText: '0.5517'}).count(), 0);
  assert.deepEqual(await barriers(page), [], 'a choice');
  const hint = form.getByRole('button', {name: 'Hint'});
  await hint.focus();
  for (let k = 1; k <= 3; ++k) {
    await page.keyboard.press('Enter');
    assert.equal(await form.locator('.hints li').count(), k);
  }
  assert.ok(await hint.isDisabled());
  for (const [choice, said] of [[2, /^No/], [1, /a\) Your|It is Your/]]) {
    await form.locator('input[type=radio]').nth(choice).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await form.locator('.said', {hasText: said}).waitFor();
  }
  assert.match(await form.locator('.opened').innerText(), /Softmax makes Your 0\.5517/);
  await page.setViewportSize({width: 390, height: 800});
  assert.equal(await overhang(page), 0);
  assert.deepEqual(await barriers(page), [], 'a miss');
  assertNoTrouble(page);
  await page.context().close();
});

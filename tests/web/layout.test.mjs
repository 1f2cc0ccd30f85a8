// Where things stand: nothing moves when a number is opened, and each screen shows first what is read first.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {assertNoTrouble, barriers, overhang, workplace} from './browser.mjs';
import {dataIn, hasEngine, LESSONS, opened, openLesson, some, written} from './lesson_page.mjs';

const place = workplace();
const boxes = (page, selector) => page.locator(selector).evaluateAll(nodes => nodes.map(node => {
  const {x, y, width, height} = node.getBoundingClientRect();
  return [x, y, width, height].map(Math.round).join(' ');
}));
const boxOf = (page, selector) => page.locator(selector).first().boundingBox();
const apart = (a, b) => a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;

for (const [width, height] of [[1700, 900], [1300, 900], [1000, 800], [768, 1024], [390, 844], [800, 360]]) {
  test(`${width} × ${height}: to open or close a number moves nothing`, async () => {
    const page = await openLesson(place, `${written(place, 'journey')}#v1-weights`, {viewport: {width, height}});
    const parts = 'main table.matrix, main .say, main .formula, header.bar, footer.bar, .contents';
    const number = page.locator('main table.matrix td[data-address]').first();
    await number.evaluate(td => td.closest('.scroll').scrollIntoView({block: 'start'}));
    const before = await boxes(page, parts);
    await number.click();
    await opened(page).waitFor();
    assert.deepEqual(await boxes(page, parts), before);
    const panel = await boxOf(page, '.cell-panel'), cell = await boxOf(page, 'td.opened');
    assert.ok(apart(panel, cell), 'the opened number is covered');
    const isColumn = width > 1280 || height < 480;
    for (const other of await page.locator('main table.matrix:visible, main .say:visible, .contents:visible').all())
      if (isColumn) assert.ok(apart(panel, await other.boundingBox()), 'the panel covers something');
    if (!isColumn) assert.ok(panel.height <= 0.56 * height, `${panel.height}`);
    assert.equal(await overhang(page), 0);
    await page.locator('.cell-panel .close').click();
    assert.deepEqual(await boxes(page, parts), before);
    assertNoTrouble(page);
    await page.context().close();
  });
}

test('a number at the lower edge of a phone is shown above its panel', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#v1-weights`, {viewport: {width: 390, height: 844}, hasTouch: true});
  const isAbove = () => page.waitForFunction(() => {
    const cell = document.querySelector('td.opened').getBoundingClientRect();
    return cell.top >= 0 && cell.bottom <= document.querySelector('.cell-panel').getBoundingClientRect().top;
  });
  await page.locator('main table.matrix').last().locator('td[data-address]').last().tap();
  await opened(page).waitFor();
  await isAbove();
  // If a number is opened before the engine has started, its panel grows later.
  await page.goto(`${page.url().split('#')[0]}#masked-softmax:scaled_scores[0,0]`);
  await page.reload();
  await opened(page).locator('.arithmetic').waitFor({timeout: 60_000});
  await isAbove();
  await page.context().close();
});

test('a wide screen has room for 64 letters of arithmetic', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#scores:attn_scores[1,0]`, {viewport: {width: 1600, height: 900}});
  await opened(page).waitFor();
  const letters = await page.locator('.arithmetic').evaluate(node => {
    const probe = document.createElement('span');
    probe.textContent = '0'.repeat(100);
    node.append(probe);
    const wide = probe.getBoundingClientRect().width / 100, {paddingInlineStart, paddingInlineEnd} = getComputedStyle(node);
    probe.remove();
    return (node.clientWidth - parseFloat(paddingInlineStart) - parseFloat(paddingInlineEnd)) / wide;
  });
  assert.ok(letters >= 64, `${letters}`);
  await page.context().close();
});

test('a phone shows title, first sentence, tensors, then the rest; on its side too', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#weights`, {viewport: {width: 390, height: 844}});
  const inOrder = () => page.evaluate(() => {
    const parts = ['#step-title', '.say', '.tensors', '.say ~ .say', '.code'].map(selector => document.querySelector(selector));
    const after = parts.slice(1).every((part, i) =>
      parts[i].compareDocumentPosition(part) & (Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINED_BY));
    const tops = parts.map(part => part.getBoundingClientRect().top);
    return after && tops.every((top, i) => !i || top > tops[i - 1]);
  });
  assert.ok(await inOrder());
  const first = await page.locator('.say').first().innerText(), [step] = dataIn(place, 'journey.html').forward.filter(one => one.id === 'weights');
  assert.equal(step.lead, 1);
  assert.match(first, /^Each query shares out/);
  await page.setViewportSize({width: 800, height: 360});
  assert.ok(await inOrder());
  const stage = await page.evaluate(() => {
    const top = Math.max(document.querySelector('.stage').getBoundingClientRect().top, 0);
    return document.querySelector('footer.bar').getBoundingClientRect().top - top;
  });
  assert.ok(stage >= 0.6 * 360, `${stage} of 360 pixels`);
  assert.equal(await overhang(page), 0);
  await page.setViewportSize({width: 1300, height: 900});
  await page.locator('.columns > .tensors').waitFor();
  const [text, table] = [await boxOf(page, '.explain'), await boxOf(page, '.tensors')];
  assert.ok(text.x + text.width <= table.x, 'beside each other');
  await page.context().close();
});

test('six columns fit a phone', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#scores`, {viewport: {width: 390, height: 844}});
  for (const step of ['scores', 'weights', 'v1-weights', 'masked-scores', 'masked-softmax']) {
    await page.evaluate(id => { location.hash = id; }, step);
    await page.waitForFunction(id => document.querySelector('.contents [aria-current]')?.hash === `#${id}`, step);
    const wide = await page.locator('main .scroll').evaluateAll(nodes =>
      nodes.filter(node => node.scrollWidth > node.clientWidth).map(node => `${node.innerText}: ${node.scrollWidth} in ${node.clientWidth}`));
    assert.deepEqual(wide, [], step);
  }
  await page.context().close();
});

test('a button opens the list of steps; a click beside it closes it', async () => {
  const page = await openLesson(place, written(place, 'journey'), {viewport: {width: 1300, height: 900}});
  const list = page.locator('.contents');
  assert.equal(await list.isVisible(), false);
  await page.getByRole('button', {name: 'Steps'}).click();
  assert.ok(await list.isVisible());
  await page.locator('main').click({position: {x: 800, y: 500}});
  assert.equal(await list.isVisible(), false);
  await page.setViewportSize({width: 1700, height: 900});
  assert.ok(await list.isVisible());
  await page.context().close();
});

test('a button searches, also on a phone', async () => {
  for (const width of [1300, 390, 320]) {
    const page = await openLesson(place, written(place, 'journey'), {viewport: {width, height: 700}, hasTouch: true});
    await page.getByRole('button', {name: 'Search'}).tap();
    assert.ok(await page.locator('#find[open] input').isVisible());
    assert.equal(await overhang(page), 0);
    await page.context().close();
  }
});

test('the help begins with what can be tapped; keys are folded where there are none', async () => {
  for (const hasKeys of [true, false]) {
    const page = await openLesson(place, written(place, 'journey'), hasKeys ? {} : {hasTouch: true, isMobile: true, viewport: {width: 390, height: 800}});
    await page.getByRole('button', {name: 'Help'}).click();
    assert.deepEqual(await page.locator('#help h3').allTextContents(), ['Tap or click', 'Colours and marks', 'Keys']);
    assert.equal(await page.locator('#help kbd').first().isVisible(), hasKeys);
    assert.deepEqual(await barriers(page), []);
    await page.context().close();
  }
});

test('every formula of a lesson is mathematics with a label', async () => {
  let count = 0;
  for (const lesson of some(LESSONS, 6)) {
    const page = await openLesson(place, written(place, lesson), {viewport: {width: 390, height: 844}});
    const data = dataIn(place, `${lesson}.html`);
    for (const step of data.forward.filter(({formulas}) => formulas?.length)) {
      await page.evaluate(id => { location.hash = id; }, step.id);
      await page.waitForFunction(id => document.querySelector('.contents [aria-current]')?.hash === `#${id}`, step.id);
      const shown = await page.locator('main .formula').evaluateAll(nodes => nodes.map(node => {
        const [math] = node.children;
        return {name: node.children.length === 1 && math.localName, space: math.namespaceURI, label: math.getAttribute('aria-label'),
          broken: node.querySelectorAll(':not(math, math *)').length, height: math.getBoundingClientRect().height};
      }));
      assert.deepEqual(shown.map(one => one.label), step.formulas.map(one => one.text), `${lesson}#${step.id}`);
      for (const {name, space, broken, height} of shown) {
        assert.deepEqual([name, space, broken], ['math', 'http://www.w3.org/1998/Math/MathML', 0]);
        assert.ok(height > 10);
      }
      count += shown.length;
    }
    assert.equal(await overhang(page), 0);
    assertNoTrouble(page);
    await page.context().close();
  }
  assert.ok(count > 20, `${count} formulas`);
});

test('a changed run still has its formulas, which the engine writes', async t => {
  const page = await openLesson(place, `${written(place, 'journey')}#masked-scores`);
  if (!await hasEngine(page)) return t.skip('a page without the engine');
  await page.getByRole('button', {name: 'Settings'}).click();
  await page.locator('#setting--seed').fill('7');
  await page.getByRole('button', {name: 'Run the lesson'}).click();
  await page.locator('#settings').waitFor({state: 'hidden'});
  assert.match(await page.locator('.colophon code').last().innerText(), /--seed 7/);
  assert.ok(await page.locator('.formula math').count() > 0);
  assertNoTrouble(page);
  await page.context().close();
});

// Every lesson's page as the program writes it: complete, without errors, and with the lesson's numbers.
import assert from 'node:assert/strict';
import {statSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {assertNoTrouble, barriersInLightAndDark, glassgrad, json, open, tell, workplace} from './browser.mjs';
import {differences, goThrough, hasEngine, LESSONS, openLesson, some, written} from './lesson_page.mjs';

const place = workplace();
// 1280 pixels wide at 400 %, 1200 at 200 %
const PHONE = {width: 320, height: 640}, ZOOMED = {width: 600, height: 400};

test('there are lessons', () => assert.ok(LESSONS.length >= 16, LESSONS.join()));

for (const lesson of some(LESSONS, 3)) {
  test(`${lesson}: loads without a network, shows the lesson's numbers, keeps nobody from reading them`, async t => {
    const file = written(place, lesson), bytes = statSync(path.join(place.folder, file)).size;
    const page = await openLesson(place, file);
    assert.ok(bytes < (await hasEngine(page) ? 5e6 : 2.5e6), `${bytes} bytes`);
    assert.equal(await page.locator('.alarm').textContent(), '');

    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await barriersInLightAndDark(page), []);

    assert.deepEqual(differences(await goThrough(page), json('learn', lesson)), []);
    for (const size of [PHONE, ZOOMED]) {
      await page.setViewportSize(size);
      const wide = (await goThrough(page)).filter(step => step.overhang > 0);
      assert.deepEqual(wide.map(step => `${step.step}: ${step.overhang} px too wide at ${size.width}`), []);
    }
    assertNoTrouble(page);
    const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1);
    tell(t, `${lesson}: ${(bytes / 1e6).toFixed(2)} MB; first paint`, paint);
    await page.context().close();
  });
}

test('the map shows where a step is, leads to others, and marks the way of a number', async () => {
  const page = await openLesson(place, written(place, 'single-and-multi'));
  const map = page.locator('.map'), names = selector => map.locator(selector).allTextContents();
  assert.equal(await map.isVisible(), false);
  await page.goto(`${page.url().split('#')[0]}#gpt-single-attention:attention_scores[0,1,0]`);
  assert.deepEqual((await names('[aria-current]'))[0].match(/attention/)?.[0], 'attention');
  const from = await names('.from'), to = await names('.to');
  assert.ok(from.some(name => name.includes('embedding')) && !from.some(name => name.includes('fc_out')), from.join());
  assert.ok(to.some(name => name.includes('fc_out')) && !to.some(name => name.includes('embedding')), to.join());
  await map.getByRole('button', {name: 'ffn'}).click();
  assert.match(page.url(), /#gpt-single-feed-forward$/);
  assert.deepEqual(await names('[aria-current]'), ['ffn', 'fc1', 'relu', 'fc2']);
  assertNoTrouble(page);
  await page.context().close();
});

test('the first step can be read without scripts', async () => {
  const page = await open(place, written(place, 'journey'), {javaScriptEnabled: false});
  const [step] = json('learn', 'journey').steps;
  assert.match(await page.locator('body').innerText(), new RegExp(step.title));
  assert.equal(await page.locator('table.matrix').first().locator('td:not(.corner)').first().innerText(), '0.4300');
  assertNoTrouble(page);
  await page.context().close();
});

test('a token called <script> is a token', async () => {
  const token = '<script>document.title="x"</script>';
  const page = await openLesson(place, written(place, 'journey', '--tokens', `${token},</title>,<!--,&amp;,"\',f`));
  const names = await page.locator('main table.matrix tbody th').allTextContents();
  assert.ok(names.includes(token) && names.includes('</title>') && names.includes('<!--') && names.includes('&amp;'), names.join());
  assert.match(await page.title(), /^Your journey/);
  assertNoTrouble(page);
  await page.context().close();
});

test('the same lesson gives the same bytes', async () => {
  assert.equal(glassgrad('learn', 'dropout.factor', '--html', '-'), glassgrad('learn', 'dropout.factor', '--html', '-'));
});

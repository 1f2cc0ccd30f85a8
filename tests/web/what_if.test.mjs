// The engine inside the page is the program's own, so a different number gives the same as `glassgrad learn --set`.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {assertNoTrouble, json, tell, workplace} from './browser.mjs';
import {dataOf, differences, goThrough, hasEngine, openLesson, written} from './lesson_page.mjs';

const place = workplace();
// `make test-web` builds the engine first; a program without it is tested as far as possible.
const required = process.env.REQUIRE_WASM === '1';

async function withEngine(t, file) {
  const page = await openLesson(place, file);
  if (await hasEngine(page)) return page;
  assert.ok(!required, 'the page has no engine');
  t.skip('built without WebAssembly');
  await page.context().close();
  return null;
}
async function set(page, value) {
  await page.locator('.cell-panel .edit input').fill(value);
  await page.keyboard.press('Enter');
}

test('without the engine the page says that editing is off, with it nothing of the kind', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#scores:attn_scores[1,0]`);
  const panel = await page.locator('.cell-panel').innerText();
  if (await hasEngine(page)) assert.doesNotMatch(panel, /Editing is off/);
  else assert.match(panel, /Editing is off/);
  assertNoTrouble(page);
  await page.context().close();
});

const EDITS = {
  journey: ['masked-scores:masked[2,1]', '0.9'], 'autograd.softmax': null, 'mask.five-ways': null, 'heads.same': null,
};
for (const [lesson, edit] of Object.entries(EDITS)) {
  test(`${lesson}: another number in the page gives what the program gives`, async t => {
    const page = await withEngine(t, written(place, lesson));
    if (!page) return;
    // For a lesson without an edit of its own: the first number of its first matrix.
    const first = json('learn', lesson).steps.flatMap(step => step.tensors.map(tensor => ({step, tensor})))
      .find(({tensor}) => tensor.shape.length === 2 && /float/.test(tensor.dtype) && tensor.data !== undefined);
    const [address, value] = edit ?? [`${first.step.id}:${first.tensor.name}[0,0]`, '0.75'];
    await page.evaluate(to => { location.hash = to; }, address);
    await page.locator('.cell-panel .edit input').waitFor();
    await set(page, value);
    await page.locator('section.what-if:visible').waitFor();
    assert.deepEqual(differences(await goThrough(page), json('learn', lesson, '--set', `${address}=${value}`)), []);
    await page.keyboard.press('r');
    await page.locator('section.what-if').waitFor({state: 'hidden'});
    assert.deepEqual(differences(await goThrough(page), json('learn', lesson)), []);
    assertNoTrouble(page);
    await page.context().close();
  });
}

test('an edit marks what it changed, takes masks and infinities, and refuses what is no number', async t => {
  const page = await withEngine(t, `${written(place, 'journey')}#masked-scores:masked[2,1]`);
  if (!page) return;
  await set(page, 'abc');
  await page.locator('.cell-panel .problem:not(:empty)').waitFor();
  assert.equal(await page.locator('section.what-if:visible').count(), 0);
  await set(page, '-inf');
  await page.locator('section.what-if:visible').waitFor();
  assert.ok(await page.locator('td.changed').count() > 0);
  const times = await page.evaluate(async () => {
    const times = [], banner = document.querySelector('section.what-if');
    for (let i = 0; i < 9; ++i) {
      const form = document.querySelector('.cell-panel .edit'), before = banner.textContent;
      form.querySelector('input').value = String(i / 10);
      const begun = performance.now();
      form.querySelector('button').click();
      while (banner.textContent === before) await new Promise(done => setTimeout(done, 1));
      times.push(performance.now() - begun);
      while (!document.querySelector('.cell-panel .edit') || document.querySelector('.cell-panel .edit') === form)
        await new Promise(done => setTimeout(done, 1));
    }
    return times;
  });
  tell(t, 'a what-if of the 65 steps of journey, median', times.sort((a, b) => a - b)[4]);
  assertNoTrouble(page);
  await page.context().close();
});

test('other settings in the page give what their flags give', async t => {
  const page = await withEngine(t, written(place, 'journey'));
  if (!page) return;
  await page.keyboard.press('s');
  await page.locator('#setting--seed').fill('7');
  await page.locator('#setting--tokens').fill('to,be,or,not,<b>,be');
  await page.getByRole('button', {name: 'Run the lesson'}).click();
  await page.locator('dialog#settings').waitFor({state: 'hidden'});
  assert.deepEqual(differences(await goThrough(page), json('learn', 'journey', '--seed', 7, '--tokens', 'to,be,or,not,<b>,be')), []);
  await page.evaluate(() => { location.hash = '#inputs'; });
  await page.locator('#step-title', {hasText: 'A sentence as numbers'}).waitFor();
  assert.deepEqual(await page.locator('main table.matrix tbody th').allInnerTexts(), ['to', 'be', 'or', 'not', '<b>', 'be']);
  await page.keyboard.press('s');
  await page.locator('#setting--heads').fill('-1');
  await page.getByRole('button', {name: 'Run the lesson'}).click();
  await page.locator('dialog#settings .problem:not(:empty)').waitFor();
  assertNoTrouble(page);
  await page.context().close();
});

test('a page whose numbers were changed says so, with the first one', async t => {
  const whole = written(place, 'journey');
  const page = await withEngine(t, whole);
  if (!page) return;
  assert.equal(await page.locator('.alarm').textContent(), '');
  await page.context().close();

  const html = readFileSync(path.join(place.folder, whole), 'utf8'), data = dataOf(html);
  const step = data.forward.find(s => s.id === 'scores'), entry = step.entries.find(e => e.name === 'attn_scores');
  const first = data.forward.find(s => s.entries.some(e => e.numbers === entry.numbers));
  const name = first.entries.find(e => e.numbers === entry.numbers).name;
  for (const kind of ['texts', 'exact']) {
    const cells = data.numbers[entry.numbers][kind]?.split(' ');
    if (!cells) continue;
    cells[7] = '0.1234';
    data.numbers[entry.numbers][kind] = cells.join(' ');
  }
  const text = JSON.stringify(data).replaceAll('<', '\\u003c');
  writeFileSync(path.join(place.folder, 'changed.html'),
    html.replace(/(<script type="application\/json" id="data">).*?(<\/script>)/s, (_, before, after) => before + text + after));
  const changed = await openLesson(place, 'changed.html');
  const alarm = await changed.locator('.alarm[role=alert]').innerText();
  assert.match(alarm, /disagree/);
  assert.ok(alarm.includes(`${first.id}:${name}[1,1]`) && alarm.includes('0.1234'), alarm);
  assertNoTrouble(changed);
  await changed.context().close();
});

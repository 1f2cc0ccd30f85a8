// The code of a step: who wrote it, where a call's lines are, and an edited line, which gives the same as the program
// with that line.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {assertNoTrouble, json, workplace} from './browser.mjs';
import {differences, goThrough, hasEngine, openLesson, written} from './lesson_page.mjs';

const place = workplace();
const required = process.env.REQUIRE_WASM === '1';
const PROGRAM = `import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
# Each row is added up.
sums = x.sum(dim=1)
print("total", sums.sum().item())
weights = torch.softmax(x, dim=-1)
`;
const EDITED = PROGRAM.replace('x.sum(dim=1)', 'x.sum(dim=0) * 2');

function program(text, name) {
  writeFileSync(path.join(place.folder, name), text);
  return path.join(place.folder, name);
}
const line = (page, text) => page.locator('.stage .code-line', {hasText: text}).first();
async function edit(page, before, now) {
  await line(page, before).click();
  await page.locator('.line-edit input').fill(now);
  await page.keyboard.press('Enter');
}

test('blocks say whose they are, and lead to the class where their lines stand', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#v1-weights`);
  assert.equal(await page.locator('.code-block .whose').innerText(), 'inside sa_v1(inputs)');
  await page.locator('.whole summary').click();
  const marked = await page.locator('.whole mark').allInnerTexts();
  assert.deepEqual(marked.map(text => text.trim()), ['attn_scores = queries @ keys.T', 'attn_weights = torch.softmax(',
    'attn_scores / keys.shape[-1]**0.5, dim=-1', ')']);
  assert.match(await page.locator('.whole .code').innerText(), /^class SelfAttention_v1/);
  await page.evaluate(() => { location.hash = 'masked-softmax'; });
  await page.locator('.code-block').nth(1).waitFor();
  assert.deepEqual(await page.locator('.code-block .whose').allInnerTexts(), ['the source’s code', 'added by us']);
  if (!await hasEngine(page)) {
    assert.ok(!required, 'the page has no engine');
    await line(page, 'attn_weights').click();
    assert.match(await page.locator('.message').innerText(), /Editing is off in this page/);
  }
  assertNoTrouble(page);
  await page.context().close();
});

test('a line that is edited gives what the program gives, and is taken back', async t => {
  const file = program(PROGRAM, 'sums.py');
  const page = await openLesson(place, `${written(place, file)}#line-5`);
  if (!await hasEngine(page)) return t.skip('built without WebAssembly');
  await edit(page, 'x.sum', 'sums = x.sum(');
  await page.locator('.line-edit .note:not(:empty)').waitFor();
  assert.match(await page.locator('.line-edit .note').innerText(), /^Step 3, line 1 of its code: SyntaxError: '\(' was never closed/);
  await page.locator('.line-edit input').fill('while True: pass');
  await page.keyboard.press('Enter');
  await page.locator('.line-edit .running button').click();
  await page.locator('.line-edit .note', {hasText: 'Stopped, as you wished.'}).waitFor();
  await page.locator('.line-edit input').fill('sums = x.sum(dim=0) * 2');
  await page.keyboard.press('Enter');
  await page.locator('section.what-if:visible').waitFor();
  assert.equal(await page.locator('.code-line.edited').count(), 1);
  assert.match(await page.locator('.code .was').innerText(), /was: sums = x\.sum\(dim=1\)/);
  assert.ok(await page.locator('td.changed').count() > 0);
  assert.deepEqual(differences(await goThrough(page), json('learn', program(EDITED, 'edited.py'))), []);
  await page.evaluate(() => { location.hash = 'line-6'; });
  await page.locator('.printed', {hasText: '▲'}).waitFor();
  await page.keyboard.press('r');
  await page.locator('section.what-if').waitFor({state: 'hidden'});
  assert.deepEqual(differences(await goThrough(page), json('learn', file)), []);
  assertNoTrouble(page);
  await page.context().close();
});

test('by keyboard alone: E, arrows, Enter, Esc', async t => {
  const page = await openLesson(place, `${written(place, 'journey')}#masked-softmax`);
  if (!await hasEngine(page)) return t.skip('built without WebAssembly');
  await page.keyboard.press('E');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  assert.match(await page.locator('.line-edit input').inputValue(), /^attn_weights = torch\.softmax/);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.line-edit').count(), 0);
  assert.ok(await page.evaluate(() => document.activeElement.matches('.code-line')));
  assertNoTrouble(page);
  await page.context().close();
});

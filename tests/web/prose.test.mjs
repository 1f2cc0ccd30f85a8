// The text of a step beside its numbers: code that is never cut off, what an edit changes in it, sentences that no
// longer hold, and where links and the last step lead.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {assertNoTrouble, barriers, glassgrad, workplace} from './browser.mjs';
import {hasEngine, openLesson, written} from './lesson_page.mjs';

const place = workplace();
const required = process.env.REQUIRE_WASM === '1';
const journey = hash => `${written(place, 'journey')}#${hash}`;

async function withEngine(t, hash) {
  const page = await openLesson(place, journey(hash));
  if (await hasEngine(page)) return page;
  assert.ok(!required, 'the page has no engine');
  t.skip('built without WebAssembly');
  await page.context().close();
  return null;
}
async function edit(page, before, now) {
  await page.locator('.stage .code-line', {hasText: before}).first().click();
  await page.locator('.line-edit input').fill(now);
  await page.keyboard.press('Enter');
  await page.locator('section.what-if:visible').waitFor();
}

for (const width of [1300, 390]) {
  test(`no code is cut off, and a line goes on deeper than it begins, ${width} px wide`, async () => {
    const page = await openLesson(place, journey('inputs'), {viewport: {width, height: 900}});
    const {cut, wrapped, shallow} = await page.evaluate(() => {
      const next = document.querySelector('.slider button[aria-label=Next]'), found = {cut: [], wrapped: 0, shallow: []};
      // Returns where the lines of a text begin on the screen, without its margin.
      const lefts = line => {
        const texts = [], walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT), begins = new Map();
        while (walk.nextNode()) texts.push(walk.currentNode);
        for (const text of texts) {
          for (const [i, letter] of [...text.data].entries()) {
            if (/\s/.test(letter)) continue;
            const range = document.createRange();
            range.setStart(text, i);
            range.setEnd(text, i + 1);
            const {left, bottom} = range.getBoundingClientRect(), row = Math.round(bottom / 8);
            if (!begins.has(row)) begins.set(row, left);
          }
        }
        return [...begins.values()];
      };
      for (;;) {
        for (const block of document.querySelectorAll('.stage pre.code')) {
          if (block.scrollWidth > block.clientWidth) found.cut.push(`${location.hash}: ${block.textContent}`);
          for (const line of block.querySelectorAll('.code-line')) {
            const [first, ...others] = lefts(line);
            found.wrapped += others.length > 0;
            if (others.some(left => left <= first)) found.shallow.push(line.textContent);
          }
        }
        if (next.disabled) return found;
        next.click();
      }
    });
    assert.deepEqual(cut, []);
    assert.deepEqual(shallow, []);
    assert.ok(wrapped > 40, `${wrapped} lines go on`);
    assertNoTrouble(page);
    await page.context().close();
  });
}

test('an edited line marks what is new in it, and below it what is gone', async t => {
  const page = await withEngine(t, 'masked-softmax');
  if (!page) return;
  await edit(page, 'attn_weights =', 'attn_weights = torch.softmax(masked / keys.shape[-1], dim=0)');
  assert.deepEqual(await page.locator('.code-line.edited ins').allInnerTexts(), ['0']);
  assert.deepEqual(await page.locator('.was del').allInnerTexts(), ['**0.5', '-1']);
  assert.match(await page.locator('.was').innerText(), /was: attn_weights = torch\.softmax\(masked \/ keys\.shape\[-1\]\*\*0\.5, dim=-1\)/);
  assert.deepEqual(await barriers(page), []);
  assertNoTrouble(page);
  await page.context().close();
});

test('after an edit, sentences that no longer hold are struck out, and those that nothing checks are marked', async t => {
  const page = await withEngine(t, 'masked-softmax');
  if (!page) return;
  assert.equal(await page.locator('.say .prose del, .say .prose ins, .say .stated').count(), 0);
  await edit(page, 'attn_weights =', 'attn_weights = torch.softmax(masked / keys.shape[-1], dim=0)');
  const gone = (await page.locator('.say .prose del').allInnerTexts()).join(' ');
  assert.match(gone, /In one step, you get the same weights as by masking and dividing afterwards\./);
  assert.match(gone, /No context vector contains anything from a later token/);
  assert.match(await page.locator('.say .stated').allInnerTexts().then(all => all.join(' ')), /Each weight is its exp divided by the sum of its row/);
  assert.match(await page.locator('.explain').innerText(), /written for the lesson’s own line: nothing checks it/);
  assert.deepEqual(await barriers(page), []);
  // The program leaves out what the page strikes out.
  const set = 'masked-scores:masked[0,1]=0.9';
  await page.keyboard.press('r');
  await page.locator('section.what-if').waitFor({state: 'hidden'});
  assert.equal(await page.locator('.say .prose del, .say .prose ins, .say .stated').count(), 0);
  await page.evaluate(() => { location.hash = 'masked-scores:masked[0,1]'; });
  await page.locator('.cell-panel .edit input').fill('0.9');
  await page.keyboard.press('Enter');
  await page.locator('section.what-if:visible').waitFor();
  await page.evaluate(() => { location.hash = 'masked-softmax'; });
  await page.locator('.say .prose del').first().waitFor();
  const program = glassgrad('learn', 'journey', '--set', set, '--from', 'masked-softmax', '--to', 'masked-softmax').replace(/\s+/g, ' ');
  const [said, left] = await page.locator('.say .prose > span').evaluateAll(sentences => {
    const text = node => node.textContent.replace(/\s+/g, ' ').trim();
    const isGone = node => node.firstElementChild?.matches('.unseen');
    const now = sentences.filter(node => !isGone(node)).map(node => {
      const copy = node.cloneNode(true);
      for (const gone of copy.querySelectorAll('del')) gone.remove();
      return text(copy);
    });
    return [now, sentences.filter(isGone).map(node => text(node.querySelector('del')))];
  });
  assert.ok(said.length > 1 && left.length > 0, `${said}; ${left}`);
  assert.deepEqual(said.filter(sentence => !program.includes(sentence)), []);
  assert.deepEqual(left.filter(sentence => program.includes(sentence)), []);
  assertNoTrouble(page);
  await page.context().close();
});

test('a sentence that only has another number marks the number', async t => {
  const page = await withEngine(t, 'dot-product');
  if (!page) return;
  await page.evaluate(() => { location.hash = 'inputs:inputs[0,0]'; });
  await page.locator('.cell-panel .edit input').fill('0.5');
  await page.keyboard.press('Enter');
  await page.locator('section.what-if:visible').waitFor();
  await page.evaluate(() => { location.hash = 'dot-product'; });
  await page.locator('.say .prose ins').first().waitFor();
  assert.deepEqual(await page.locator('.say .prose del').allInnerTexts(), ['0.2365', '0.9544']);
  assert.deepEqual(await page.locator('.say .prose ins').allInnerTexts(), ['0.2750', '0.9929']);
  assertNoTrouble(page);
  await page.context().close();
});

test('an error names the step and the line of its code, not the lesson’s file', async t => {
  const page = await withEngine(t, 'masked-softmax');
  if (!page) return;
  await page.locator('.stage .code-line', {hasText: 'attn_weights ='}).first().click();
  assert.equal(await page.locator('.line-edit input').getAttribute('aria-label'), 'Line 1');
  await page.locator('.line-edit input').fill('attn_weights = masked.softmacks(dim=-1)');
  await page.keyboard.press('Enter');
  await page.locator('.line-edit .problem').waitFor();
  const said = await page.locator('.line-edit .note').innerText();
  assert.match(said, /^Step \d+, line 1 of its code: AttributeError: 'Tensor' object has no attribute 'softmacks'/);
  assert.doesNotMatch(said, /\.md/);
  await page.keyboard.press('Escape');
  await edit(page, 'attn_weights =', 'attn_weights = masked.softmax(dim=-1)');
  assert.match(await page.locator('section.what-if').innerText(), /What if: Step \d+, line 1 of its code: attn_weights = /);
  await page.keyboard.press('s');
  await page.locator('#setting--heads').fill('3');
  await page.locator('dialog#settings button.primary').click();
  await page.locator('dialog#settings .problem:not(:empty)').waitFor();
  assert.doesNotMatch(await page.locator('dialog#settings .problem').innerText(), /\.md/);
  assertNoTrouble(page);
  await page.context().close();
});

test('a page that stands alone shows no link that leads nowhere, and says what to type', async () => {
  const page = await openLesson(place, journey('inputs'));
  assert.equal(await page.locator('a.logo').count(), 0);
  assert.match(await page.locator('.explain').innerText(), /“before attention” is glassgrad learn rnn\.why --from fixed-size-state/);
  assert.ok(await page.locator('.say .prose em').count() > 0, 'terms stand out');
  await page.keyboard.press('G');
  await page.locator('.onward').waitFor();
  assert.match(await page.locator('.onward').innerText(), /Next: .+ \(60 minutes\): type glassgrad build attention in a terminal\./);
  const dead = await page.evaluate(() => [...document.links].map(link => link.getAttribute('href')).filter(href => !href.startsWith('#')));
  assert.deepEqual(dead, []);
  await page.keyboard.press('b');
  assert.equal(await page.locator('.onward').count(), 0);
  assertNoTrouble(page);
  await page.context().close();
});

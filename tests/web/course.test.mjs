// The page of a course: lines that are wrong, right and endless; hints; what the browser remembers; keys; a phone; paper.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {assertNoTrouble, barriers, glassgrad, open, overhang, PROGRAM, workplace} from './browser.mjs';
import {hasEngine} from './lesson_page.mjs';

const place = workplace();
const required = process.env.REQUIRE_WASM === '1';
const PHONE = {viewport: {width: 390, height: 844}, hasTouch: true};

function written(course) {
  const name = `${course}.html`;
  if (!existsSync(path.join(place.folder, name))) glassgrad('build', course, '--html', path.join(place.folder, name));
  return name;
}
async function openCourse(file, view) {
  const page = await open(place, file, view);
  await page.waitForFunction(() => document.documentElement.dataset.checks, null, {timeout: 60_000});
  return page;
}
// Returns the sentence about these lines.
async function answer(page, lines) {
  await page.locator('textarea').fill(lines);
  await page.keyboard.press('Control+Enter');
  await page.locator('.verdict .sentence').waitFor({timeout: 60_000});
  return page.locator('.verdict .outcome').innerText();
}
const skips = async (page, t) => {
  if (await hasEngine(page)) return false;
  assert.ok(!required, 'the page has no engine');
  t.skip('built without WebAssembly');
  return true;
};

test('the first exercise: wrong, a hint, right, and on; the browser remembers it, the file is the program’s own', async t => {
  const page = await openCourse(written('attention'));
  if (await skips(page, t)) return;
  const wrong = await answer(page, 'score = query * key');
  assert.match(wrong, /score has shape \(3,\), and should have \(\)\.\s+One way to get this: You multiplied the numbers/);
  assert.deepEqual(await page.locator('.compared caption').allInnerTexts(), ['right()', 'yours(3,)']);
  await page.locator('.actions button', {hasText: 'Hint'}).click();
  assert.match(await page.locator('.hints').innerText(), /^Hint 1: Two steps/);
  assert.match(await answer(page, '(query * key).sum('), /Line 1, column 18: SyntaxError: '\(' was never closed/);
  assert.equal((await page.locator('.own-line').innerText()).trim(), '(query * key).sum(');
  assert.equal(await page.locator('.own-line mark').evaluate(mark => mark.previousSibling.data.length), 17);
  assert.match(await answer(page, 'score = (query * key).sum()'), /Right\. score agrees, and again in a second run/);
  assert.equal(await page.locator('.contents .count').innerText(), '1 of 13 solved');
  await page.keyboard.press('Control+Enter');
  await page.waitForFunction(() => document.activeElement.textContent === 'All scores at once');
  await answer(page, 'scores = x @ x');
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.checks === 'yes');
  assert.equal(await page.locator('textarea').inputValue(), 'scores = x @ x');
  assert.equal(await page.locator('.contents .count').innerText(), '1 of 13 solved');

  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: 'Save as a file'}).click()]);
  const saved = path.join(place.folder, 'saved.py'), state = mkdtempSync(path.join(place.folder, 'state-'));
  await download.saveAs(saved);
  execFileSync(PROGRAM, ['build', 'attention'], {input: 'score = (query * key).sum()\nscores = x @ x\n', env: {...process.env, XDG_STATE_HOME: state}});
  const kept = readFileSync(path.join(state, 'glassgrad/build/attention.py'), 'utf8');
  assert.equal(readFileSync(saved, 'utf8'), kept);
  writeFileSync(saved, kept.replace('x @ x', 'x @ x.T'));
  await page.locator('input[type=file]').setInputFiles(saved);
  await page.getByText('saved.py is open').waitFor();
  assert.equal(await page.locator('textarea').inputValue(), 'scores = x @ x.T\n');
  assertNoTrouble(page);
  await page.context().close();
});

test('an exercise shows the numbers that its lines can use', async () => {
  const page = await openCourse(written('attention'));
  const shown = page.locator('.given-values');
  assert.ok(await shown.getAttribute('open') !== null, 'few numbers are in sight');
  const text = await shown.innerText();
  for (const name of ['x \\(6, 3\\)', 'query \\(3,\\)', 'key \\(3,\\)']) assert.match(text, new RegExp(`${name}\\s+tensor\\(\\[+ *-?\\d\\.\\d{4}, `));
  assert.deepEqual(await barriers(page), []);
  assertNoTrouble(page);
  await page.context().close();
});

test('no code of an exercise is cut off on a phone, nor are the lines that one writes', async () => {
  const page = await openCourse(`${written('attention')}#page`, {viewport: {width: 320, height: 640}});
  const {exercises} = await page.evaluate(() => JSON.parse(document.querySelector('#data').textContent));
  for (const {id, solution} of exercises) {
    await page.evaluate(to => { location.hash = to; }, id);
    await page.waitForFunction(title => document.querySelector('#step-title').textContent === title, exercises.find(e => e.id === id).title);
    await page.locator('textarea').fill(solution.join('\n'));
    await page.locator('.actions button', {hasText: 'Solution'}).click();
    assert.equal(await overhang(page), 0, id);
    const cut = await page.evaluate(() => [...document.querySelectorAll('.blank, .solution pre, textarea')]
      .filter(node => node.scrollWidth > node.clientWidth || (node.matches('textarea') && node.scrollHeight > node.clientHeight + 1)).map(node => node.className || node.tagName));
    assert.deepEqual(cut, [], id);
  }
  assertNoTrouble(page);
  await page.context().close();
});

test('behind the last exercise it says what comes next', async () => {
  const page = await openCourse(`${written('attention')}#ending`);
  assert.match(await page.locator('.onward').innerText(), /Next: .+ \(\d+ minutes\): type glassgrad learn gpt in a terminal\./);
  assert.equal(await page.locator('a.logo').count(), 0);
  assertNoTrouble(page);
  await page.context().close();
});

test('an endless loop, a stop, ten seconds and too much memory have a kind end', async t => {
  const page = await openCourse(written('attention'));
  if (await skips(page, t)) return;
  // Two million steps or ten seconds, whichever come first on this machine.
  assert.match(await answer(page, 'while True: pass'), /It was stopped: it goes on for too long\. Does a loop ever end\?|It has not come to an end in 10 seconds/);
  assert.match(await answer(page, 'score = torch.ones(100000, 100000)'), /It was stopped: it asks for more than 64 MB/);
  const slow = 'while True: score = torch.ones(1500, 1500) @ torch.ones(1500, 1500)';
  await page.locator('textarea').fill(slow);
  await page.keyboard.press('Control+Enter');
  await page.getByText('Checking …').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Stopped, as you wished.').waitFor();
  await page.clock.install();
  await page.keyboard.press('Control+Enter');
  await page.getByText('Checking …').waitFor();
  await page.clock.fastForward(10_000);
  await page.getByText('It has not come to an end in 10 seconds, so it was stopped.').waitFor();
  assertNoTrouble(page);
  await page.context().close();
});

test('by keyboard alone, to what the whole program prints', async t => {
  const page = await openCourse(`${written('attention')}#weights`);
  if (await skips(page, t)) return;
  await page.keyboard.press('i');
  await page.keyboard.type('weights = torch.zeros(n, n)\nfor i in range(n):\nweights[i] = torch.softmax(scores[i], 0)');
  assert.match(await page.locator('textarea').inputValue(), /\n {4}weights\[i\] = /);
  await page.keyboard.press('Control+Enter');
  await page.locator('.verdict.right').waitFor({timeout: 60_000});
  await page.keyboard.press('Escape');
  for (const key of ['r', 'u', 'h', 'h', 'h', 's']) await page.keyboard.press(key);
  assert.match(await page.locator('textarea').inputValue(), /^weights = torch\.zeros/);
  assert.equal(await page.locator('.hints li').count(), 3);
  assert.match(await page.locator('.solution').innerText(), /weights = torch\.softmax\(scores, dim=-1\)/);
  for (const key of ['n', 'b', '?', 'Escape']) await page.keyboard.press(key);
  await page.waitForFunction(() => location.hash === '#weights');
  await page.evaluate(() => { location.hash = 'ending'; });
  await page.getByRole('button', {name: 'Run', exact: true}).click();
  await page.locator('.shown pre').waitFor({timeout: 60_000});
  assert.match(await page.locator('.shown pre').innerText(), /in: {2}\(1, 6, 3\)\nout: \(1, 6, 4\)/);
  assertNoTrouble(page);
  await page.context().close();
});

test('a blank page takes a whole class, and its field grows', async t => {
  for (const course of ['scalars', 'attention']) {
    const page = await openCourse(`${written(course)}#page`);
    if (await skips(page, t)) return;
    assert.equal(await page.locator('textarea').getAttribute('rows'), '8');
    const solution = await page.evaluate(() => JSON.parse(document.querySelector('#data').textContent).exercises.at(-1).solution);
    assert.match(await answer(page, 'pass'), /NameError: name '\w+' is not defined/);
    assert.match(await answer(page, solution.join('\n')), /Right\. .+ agrees?( in all \d+ numbers)?, and again/);
    assert.equal(await page.locator('textarea').getAttribute('rows'), String(solution.length));
    assertNoTrouble(page);
    await page.context().close();
  }
});

test('a phone: matrices scroll inside their box; nothing keeps anybody from reading it', async t => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await openCourse(`${written('attention')}#weights`, {...PHONE, colorScheme});
    if (await skips(page, t)) return;
    assert.match(await answer(page, 'weights = torch.softmax(scores, dim=0)'), /You let each column add to 1/);
    assert.ok(await page.locator('.compared td.differs').count() > 20);
    assert.equal(await overhang(page), 0);
    assert.ok(await page.locator('.compared .scroll').first().evaluate(node => node.scrollWidth > node.clientWidth));
    assert.deepEqual(await barriers(page), [], colorScheme);
    await page.locator('button.to-contents').tap();
    assert.equal(await overhang(page), 0);
    await page.locator('.contents a', {hasText: 'The weighted sum'}).tap();
    await page.locator('h2#step-title', {hasText: /^The weighted sum$/}).waitFor();
    assertNoTrouble(page);
    await page.context().close();
  }
});

test('without WebAssembly it says what to do; printed, all exercises stand on the paper', async () => {
  const file = written('attention'), bare = path.join(place.folder, 'bare.html');
  writeFileSync(bare, readFileSync(path.join(place.folder, file), 'utf8').replace(/<script type="text\/plain" id="wasm">.*?<\/script>/s, ''));
  const page = await openCourse('bare.html');
  assert.match(await page.locator('.message').innerText(), /This page cannot check your lines: .* type glassgrad build attention in a terminal/);
  assert.ok(await page.getByRole('button', {name: 'Check', exact: true}).isDisabled());
  await page.getByRole('button', {name: 'Hint'}).click();
  await page.locator('.hints li').waitFor();
  await page.locator('textarea').fill('score = key @ query');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.locator('.paper h2').count(), 13);
  assert.match(await page.evaluate(() => document.querySelector('.paper pre').textContent), /score = key @ query/);
  assertNoTrouble(page);
  await page.context().close();
});

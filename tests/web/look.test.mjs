// Dark and light, paper, a phone, large type, less motion.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {assertNoTrouble, json, overhang, workplace} from './browser.mjs';
import {openLesson, written} from './lesson_page.mjs';

const place = workplace();
const brightness = page => page.evaluate(() => {
  const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
  return (r + g + b) / 3;
});

test('dark where the system is dark, and as the reader chooses', async () => {
  const page = await openLesson(place, written(place, 'journey'), {colorScheme: 'dark'});
  assert.ok(await brightness(page) < 64, 'dark');
  await page.emulateMedia({colorScheme: 'light'});
  assert.ok(await brightness(page) > 192, 'light');
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  for (let i = 0; i < 3 && await theme() !== 'dark'; ++i) await page.locator('button.theme').click();
  assert.ok(await brightness(page) < 64, 'chosen');
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  assertNoTrouble(page);
  await page.context().close();
});

test('a browser that does not know light-dark() has all colours, light and dark', async () => {
  const page = await openLesson(place, written(place, 'journey'));
  assert.ok(await page.evaluate(() => ![...document.querySelectorAll('style')].some(style => style.textContent.includes('light-dark('))));
  const colours = () => page.evaluate(() => ['--paper', '--ink', '--accent', '--positive', '--changed', '--alarm'].map(name => {
    const probe = document.createElement('i');
    document.body.append(probe);
    probe.style.color = 'rgb(1, 2, 3)';
    probe.style.color = `var(${name})`;
    const {color} = getComputedStyle(probe);
    probe.remove();
    return color;
  }));
  await page.emulateMedia({colorScheme: 'light'});
  assert.deepEqual(await colours(), ['rgb(247, 247, 245)', 'rgb(28, 33, 38)', 'rgb(11, 107, 103)', 'rgb(99, 191, 180)', 'rgb(122, 47, 181)', 'rgb(164, 22, 26)']);
  await page.emulateMedia({colorScheme: 'dark'});
  assert.deepEqual(await colours(), ['rgb(20, 23, 26)', 'rgb(231, 235, 238)', 'rgb(88, 201, 192)', 'rgb(23, 114, 107)', 'rgb(207, 157, 245)', 'rgb(255, 180, 171)']);
  assertNoTrouble(page);
  await page.context().close();
});

test('printed, all steps stand on the paper, dark on white', async () => {
  const page = await openLesson(place, written(place, 'autograd.softmax'), {colorScheme: 'dark'});
  const pdf = await page.pdf({format: 'A4'});
  const pages = pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
  assert.ok(pages >= 2, `${pages} pages`);
  await page.emulateMedia({media: 'print', colorScheme: 'dark'});
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  const text = await page.evaluate(() => [...document.querySelectorAll('.paper h2')].map(h => h.textContent));
  const {steps} = json('learn', 'autograd.softmax');
  assert.deepEqual(text, steps.map(step => step.title));
  // Each text appears once: the screen is not printed before the paper, and only the first step has the lesson's
  // purpose.
  const all = await page.evaluate(() => document.body.innerText);
  for (const words of [steps[0].title, steps[1].title, 'You will understand']) assert.equal(all.split(words).length - 1, 1, words);
  const ink = await page.evaluate(() => getComputedStyle(document.querySelector('.paper h2')).color.match(/[\d.]+/g).map(Number));
  assert.ok(ink[0] + ink[1] + ink[2] < 3 * 96, `ink ${ink}`);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  assertNoTrouble(page);
  await page.context().close();
});

test('a phone: the contents open and close, a number opens, nothing is too wide', async () => {
  const page = await openLesson(place, `${written(place, 'journey')}#masked-softmax`, {viewport: {width: 360, height: 640}, hasTouch: true});
  assert.equal(await overhang(page), 0);
  await page.locator('main td:not(.corner)').first().tap();
  await page.waitForFunction(() => document.querySelector('.cell-panel').dataset.opened);
  assert.equal(await overhang(page), 0);
  await page.locator('button.to-contents').tap();
  await page.locator('.contents:visible').first().waitFor();
  assert.equal(await overhang(page), 0);
  assertNoTrouble(page);
  await page.context().close();
});

test('twice the type size, and less motion', async () => {
  const page = await openLesson(place, written(place, 'journey'), {viewport: {width: 1200, height: 800}, reducedMotion: 'reduce'});
  await page.evaluate(() => { document.documentElement.style.fontSize = '200%'; });
  assert.equal(await overhang(page), 0);
  const moving = await page.evaluate(() => [...document.querySelectorAll('*')].filter(node => {
    const style = getComputedStyle(node);
    return parseFloat(style.transitionDuration) > 0 || style.animationName !== 'none';
  }).length);
  assert.equal(moving, 0);
  assertNoTrouble(page);
  await page.context().close();
});

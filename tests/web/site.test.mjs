// The site: every page loads without a network, every link leads somewhere inside it. SITE names a site that is already
// built.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync, statSync} from 'node:fs';
import path from 'node:path';
import {before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {assertNoTrouble, barriersInLightAndDark, open, overhang, PROGRAM, ROOT, workplace} from './browser.mjs';
import {dataOf, LESSONS} from './lesson_page.mjs';

const place = workplace();
let site, files;
const inSite = () => ({...place, folder: site, shared: path.join(site, 'shared')});

const filesIn = folder => readdirSync(folder, {recursive: true}).map(String)
  .filter(name => statSync(path.join(folder, name)).isFile()).sort();
function build(name) {
  const folder = path.join(place.folder, name);
  execFileSync('python3', [path.join(ROOT, 'docs/site/build.py'), PROGRAM, folder], {stdio: ['ignore', 'ignore', 'inherit']});
  return folder;
}

before(() => {
  site = process.env.SITE ? path.resolve(process.env.SITE) : build('site');
  files = filesIn(site);
});

test('it holds every lesson, every course, every chapter and an index', () => {
  for (const lesson of LESSONS)
    for (const folder of ['lessons', 'docs']) assert.ok(files.includes(`${folder}/${lesson}.html`), `${folder}/${lesson}`);
  for (const chapter of readdirSync(path.join(ROOT, 'docs')).filter(name => name.endsWith('.md')))
    assert.ok(files.includes(`docs/${chapter === 'README.md' ? 'index' : chapter.slice(0, -3)}.html`), chapter);
  for (const course of ['attention', 'gpt', 'scalars', 'autograd']) assert.ok(files.includes(`courses/${course}.html`), course);
  assert.ok(files.includes('index.html'));
});

test('every page is quiet and fits a phone, and every link leads to a place in the site', async () => {
  const pages = files.filter(name => name.endsWith('.html'));
  const places = new Map(), links = [];
  const page = await open(inSite(), 'index.html', {viewport: {width: 320, height: 640}});
  for (const name of pages) {
    if (/^(lessons|courses)\//.test(name)) {  // these pages have tests of their own
      const data = dataOf(readFileSync(path.join(site, name), 'utf8'));
      places.set(name, new Set((data.exercises ?? [...data.forward, ...data.backward]).map(step => step.id)));
      continue;
    }
    await page.goto(`file://${path.join(site, name)}`);
    const found = await page.evaluate(() => ({ids: [...document.querySelectorAll('[id]')].map(node => node.id),
      hrefs: [...document.links].map(link => link.getAttribute('href'))}));
    assert.equal(await overhang(page), 0, name);
    places.set(name, new Set(found.ids));
    links.push(...found.hrefs.map(href => ({from: name, href})));
  }
  assertNoTrouble(page);
  await page.context().close();
  const broken = links.filter(({from, href}) => {
    if (/^[a-z]+:/.test(href)) return true;  // no link may lead out of the site
    const to = new URL(href, `file:///${from}`), target = fileURLToPath(new URL(to.pathname, 'file:///')).slice(1);
    const anchor = decodeURIComponent(to.hash.slice(1));
    return !places.has(target) || (anchor !== '' && !places.get(target).has(anchor));
  });
  assert.deepEqual(broken.slice(0, 10), []);
  assert.ok(links.length > 1000, `${links.length} links`);
});

test('nothing keeps anybody from reading it, in light and in dark', async () => {
  for (const name of ['index.html', 'docs/index.html', 'docs/heads.same.html', 'docs/ops.html', 'docs/glossary.html']) {
    const page = await open(inSite(), name);
    assert.deepEqual(await barriersInLightAndDark(page), [], name);
    await page.context().close();
  }
});

test('a chapter leads into its lesson, and shows no LaTeX', async () => {
  const page = await open(inSite(), 'docs/journey.html');
  const formulas = await page.locator('.formula').allInnerTexts();
  assert.ok(formulas.length > 15);
  assert.deepEqual(formulas.filter(text => /\\[a-zA-Z]/.test(text)), []);
  await page.locator('#masked-softmax a.open').click();
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  assert.match(page.url(), /lessons\/journey\.html#masked-softmax$/);
  assert.match(await page.locator('#step-title').innerText(), /Softmax of the masked scores/);
  if (files.includes('shared/engine.js'))
    await page.waitForFunction(() => document.querySelector('.proof').textContent, null, {timeout: 60_000});
  assertNoTrouble(page);
  await page.context().close();
});

test('pages of the site lead on: the logo, the last step and what prose names', async () => {
  const page = await open(inSite(), 'lessons/journey.html#inputs');
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  const hrefs = selector => page.locator(selector).evaluateAll(links => links.map(link => link.getAttribute('href')));
  assert.deepEqual(await hrefs('a.logo'), ['../index.html']);
  assert.deepEqual(await hrefs('.say .prose a'), ['gpt.html#embeddings', 'rnn.why.html#fixed-size-state']);
  await page.getByRole('link', {name: 'before attention'}).click();
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes' && location.pathname.endsWith('rnn.why.html'));
  await page.goto(`file://${path.join(site, 'lessons/journey.html')}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  await page.keyboard.press('G');
  await page.locator('.onward a').first().click();
  await page.waitForFunction(() => location.pathname.endsWith('courses/attention.html'));
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  await page.evaluate(() => { location.hash = 'ending'; });
  await page.locator('.onward').waitFor();
  assert.deepEqual(await hrefs('.onward a'), ['../lessons/gpt.html', '../index.html']);
  await page.locator('a.logo').click();
  await page.waitForFunction(() => location.pathname.endsWith('/index.html'));
  assertNoTrouble(page);
  await page.context().close();
});

test('every link that a lesson’s prose or a last step makes leads to a place in the site', () => {
  const broken = [];
  for (const name of files.filter(file => /^(lessons|courses)\//.test(file))) {
    const {lesson, forward = [], onward} = dataOf(readFileSync(path.join(site, name), 'utf8'));
    assert.ok(onward.site, name);
    const targets = onward.next ? [path.join(path.dirname(name), onward.next.page)] : [];
    for (const {link} of forward.flatMap(step => step.prose.flat()).filter(part => typeof part.link === 'string')) {
      const [file, place] = link.split('#'), id = file.replace(/\.md$/, '');
      if (!id || id === lesson.id) {
        if (!forward.some(step => step.id === place)) broken.push(`${name}: ${link}`);
      } else {
        targets.push(onward.lessons.includes(id) ? `lessons/${id}.html` : `docs/${id}.html`);
      }
    }
    broken.push(...targets.filter(target => !files.includes(target)).map(target => `${name}: ${target}`));
  }
  assert.deepEqual(broken, []);
});

test('the first page begins with a matrix to touch, which leads into its lesson', async () => {
  const page = await open(inSite(), 'index.html', {viewport: {width: 390, height: 800}});
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  const says = page.locator('#touch .says'), cell = page.locator('#touch tbody td').nth(13);
  await cell.scrollIntoViewIfNeeded();
  assert.equal(await page.evaluate(() => scrollY), 0, 'the matrix is on the first screen');
  await page.locator('#touch .looking button', {hasText: 'starts'}).hover();
  assert.equal(await page.locator('#touch .looked-at .weight').nth(1).innerText(), await cell.innerText());
  await cell.click();
  assert.match(await says.innerText(), /“starts” looks at “journey” with the weight 0\.3097/);
  await page.locator('#touch .looking button', {hasText: 'with'}).click();
  assert.match(await says.innerText(), /“with” looks most at “Your”, with the weight 0\.2758/);
  assert.equal(await page.locator('#touch .opened').count(), 0);
  await cell.click();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  assert.match(await says.innerText(), /“starts” takes nothing from “with”/);
  await cell.click();
  await says.getByRole('link').click();
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes' && location.pathname.endsWith('journey.html'));
  assert.match(await page.locator('.cell-panel:visible').innerText(), /0\.3097/);
  assertNoTrouble(page);
  await page.context().close();
});

test('then it has a trained model that reads what one types; nothing about C++ comes before', async () => {
  const page = await open(inSite(), 'index.html');
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  const before = (await page.locator('body').innerText()).split(await page.locator('h2#lessons').innerText() + '\n')[0];
  assert.doesNotMatch(before, /C\+\+/);
  assert.match(await page.locator('#page').innerText(), /120896 parameters/);
  assert.deepEqual(await page.locator('h1').allInnerTexts(), ['How attention works, number by number']);
  const likeliest = () => page.locator('.likely tbody th').first().innerText();
  assert.equal(await likeliest(), '␣storms');
  if (!files.includes('shared/engine.js')) return;
  await page.waitForFunction(() => document.documentElement.dataset.engine === 'ready', null, {timeout: 60_000});
  await page.locator('textarea').fill('birds cross roads during');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.likely tbody th').innerText === '␣winters');
  await page.getByRole('button', {name: /^Switch off/}).click();
  await page.locator('.both').waitFor();
  await page.setViewportSize({width: 320, height: 640});
  assert.equal(await overhang(page), 0);
  assertNoTrouble(page);
  assert.deepEqual(await barriersInLightAndDark(page), []);
  await page.context().close();
});

test('without scripts the first page shows the matrix and what the model computed', async () => {
  const page = await open(inSite(), 'index.html', {javaScriptEnabled: false, viewport: {width: 320, height: 640}});
  assert.equal(await overhang(page), 0);
  assert.equal(await page.locator('#touch td').count(), 36);
  assert.match(await page.locator('#page').innerText(), /storms/);
  assert.ok(await page.locator('.cards a.to').count() > 20);
  await page.context().close();
});

test('the same sources give the same bytes', () => {
  const again = build('again');
  assert.deepEqual(filesIn(again), files);
  for (const name of files)
    assert.ok(readFileSync(path.join(site, name)).equals(readFileSync(path.join(again, name))), name);
});

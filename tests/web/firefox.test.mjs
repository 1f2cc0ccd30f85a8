// Pages in Firefox: a lesson opens, a number answers and can be changed, the map opens, an exercise is judged.
import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {glassgrad, json} from './browser.mjs';
import {firefox, hasFirefox} from './marionette.mjs';

assert.ok(hasFirefox || process.env.REQUIRE_WASM !== '1', 'there is no Firefox');
const skip = hasFirefox ? false : 'there is no Firefox';
let page = null, folder = null;
before(async () => {
  if (skip) return;
  folder = mkdtempSync(path.join(tmpdir(), 'glassgrad-web-'));
  page = await firefox();
});
after(async () => {
  await page?.close();
  if (folder) rmSync(folder, {recursive: true, force: true});
});

async function open(name, ...words) {
  const file = path.join(folder, name);
  glassgrad(...words, '--html', file);
  await page.goto(pathToFileURL(file).href);
  // Counts errors from here on, too late for those of the start: these leave the page not ready.
  await page.run('window.wrapped = []; addEventListener("error", event => wrapped.push(event.message));');
  return page.run('return document.getElementById("wasm") !== null');
}
const noErrors = async () => assert.deepEqual(await page.run('return window.wrapped'), []);

test('a number of a lesson opens with its arithmetic, and can be changed', {skip}, async t => {
  const hasEngine = await open('journey.html', 'learn', 'journey');
  await page.until('return document.documentElement.dataset.ready === "yes"');
  await page.run('location.hash = "#masked-softmax"');
  await page.until('return document.querySelector("#step-title").textContent === "Softmax of the masked scores"');
  const address = 'masked-softmax:attn_weights[2,1]', cell = `td[data-address="${address}"]`;
  await page.click(cell);
  const why = json('why', 'journey', address);
  if (!hasEngine) return t.skip('built without WebAssembly');
  await page.until('return Boolean(document.querySelector(".cell-panel .arithmetic"))');
  const panel = await page.run('return document.querySelector(".cell-panel").innerText');
  assert.ok(panel.includes('0.3097') && Math.abs(why.value - 0.3097) < 1e-4, panel);
  assert.match(panel, /row sum = 2\.6318/);
  await page.type('.cell-panel .edit input', '0.9\uE007');
  await page.until('return document.querySelector(".what-if").innerText.includes("0.9000")');
  assert.match(await page.run('return document.querySelector(arguments[0]).innerText', cell), /0\.9000/);
  assert.equal(await page.run('return document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0);
  await noErrors();
});

test('the map opens', {skip}, async () => {
  await page.run('[...document.querySelectorAll(".tools button")].find(one => one.textContent === "Map").click()');
  await page.until('return document.querySelectorAll("#picture[open] [role=link]").length > 100');
  assert.ok(await page.run('const box = document.querySelector("#picture .here rect").getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight'));
  await noErrors();
});

test('formulas are mathematics', {skip}, async () => {
  assert.ok(await page.run('const box = document.querySelector("math msqrt").getBoundingClientRect(); return box.width > 5 && box.height > 5'));
});

test('an exercise is judged', {skip}, async t => {
  if (!await open('attention.html', 'build', 'attention')) return t.skip('built without WebAssembly');
  await page.until('return document.documentElement.dataset.checks === "yes"');
  await page.type('textarea', 'score = (query * key).sum()\uE009\uE007');  // Ctrl Enter
  await page.until('return Boolean(document.querySelector(".verdict .sentence"))');
  assert.match(await page.run('return document.querySelector(".verdict .outcome").innerText'), /Right\. score agrees/);
  await noErrors();
});

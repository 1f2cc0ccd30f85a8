// The engine in a page computes the same bits as the program: every lesson, at its own settings and at others, forward
// and backward, its map and its questions, and the errors about impossible settings.
import assert from 'node:assert/strict';
import {webcrypto} from 'node:crypto';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {glassgrad, ROOT} from './browser.mjs';
import {LESSONS, some} from './lesson_page.mjs';

globalThis.crypto ??= webcrypto;  // Node 18 hides what browsers have
const source = readFileSync(path.join(ROOT, 'apps/page/assets/engine.js'), 'utf8');
const html = (...words) => glassgrad('learn', ...words, '--html', '-');
const part = (page, id) => page.match(new RegExp(`<script[^>]* id="${id}">([^<]*)</script>`))?.[1];
const data = (...words) => JSON.parse(part(html(...words), 'data'));

const wasm = part(html('journey'), 'wasm');
const none = wasm ? false : 'this program was built without WebAssembly';

// Returns an engine that has a lesson's file.
async function engine(lesson) {
  const page = {getElementById: id => id === 'wasm' ? {textContent: wasm} : null};
  const started = new Function('document', `${source}\nreturn engine;`)(page);
  await started.start();
  const {name, text, own} = data(lesson, ...SMALL[lesson] ?? []).file;
  await started.call('read', name, text, Number(own));
  return started;
}

// Returns steps with their tensors' numbers in place, wherever in the list the numbers were.
const steps = (list, numbers) => list.map(step => ({...step, entries: step.entries.map(({gradient: _, ...entry}) =>
  ({...entry, numbers: numbers[entry.numbers] ?? null, before_mask: numbers[entry.before_mask] ?? null, other: null}))}));
const forward = run => ({lesson: run.lesson, settings: run.settings, tokens: run.tokens, no_loss: run.no_loss,
  heavy: run.heavy, given: steps([run.given], run.numbers), steps: steps(run.forward, run.numbers)});
const count = list => list.reduce((sum, step) => sum + step.entries.reduce((s, e) =>
  s + (e.numbers ? e.shape.reduce((product, n) => product * n, 1) : 0), 0), 0);

// Returns a lesson's flags, one at a time, each with a value other than its own.
function others(settings) {
  const changed = s => s.flag === '--tokens' ? s.value.replace(/^[^,]*/, '<&ü>') : s.kind === 'number' ? '0.25'
    : s.least === undefined ? '7' : String(Math.max(s.least, Number(s.value) === 2 ? 1 : 2));
  return settings.map(s => [s.flag, changed(s)]);
}

// Lessons that a page does not compute unasked are compared at sizes at which it does, and those that train, over few steps.
const SMALL = {'gpt-attention': ['--width', '48', '--context', '32'], training: ['--steps', '3', '--width', '8'],
  gpt: ['--steps', '3'], 'gpt.scalars': ['--steps', '2'], 'choose.words': ['--steps', '2']};
const objectOf = flags => Object.fromEntries(flags.flatMap((flag, i) => i % 2 ? [] : [[flag, flags[i + 1]]]));

let numbers = 0, runs = 0;
for (const lesson of LESSONS) {
  test(`${lesson}: the same bits as in the program`, {skip: none}, async t => {
    const one = await engine(lesson);
    const small = SMALL[lesson] ?? [], own = some(others(data(lesson).settings).filter(([flag]) => !small.includes(flag)), 3);
    for (const flags of [[], ...own].map(other => [...small, ...other])) {
      let page;
      try {
        page = data(lesson, ...flags);
      } catch (refused) {
        await assert.rejects(one.call('open', lesson, objectOf(flags), 1000), e => refused.stderr?.includes(e.message), flags.join(' '));
        continue;
      }
      const run = await one.call('open', lesson, page.flags, page.most_cells);
      assert.deepEqual(forward(run), forward(page), flags.join(' '));
      numbers += count(forward(page).steps);
      if (page.backward.length) {
        const back = await one.call('backward');
        assert.deepEqual(back.loss, page.loss, flags.join(' '));
        assert.deepEqual(steps(back.backward, back.numbers), steps(page.backward, page.numbers), flags.join(' '));
        numbers += count(steps(page.backward, page.numbers));
      }
      assert.deepEqual(await one.call('picture'), page.picture);
      assert.deepEqual(await one.call('questions'), page.questions);
      runs += 1;
    }
    t.diagnostic(`${runs} runs and ${numbers} numbers until here`);
  });
}

test('modules of Python and the time of day, in a program of the reader', {skip: none}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'glassgrad-')), file = path.join(folder, 'own.py');
  writeFileSync(file, 'import time\nimport torch\nfrom collections import Counter\n' +
    'x = torch.ones(2) * Counter("aab")["a"] * (time.time() > 1.7e9) * (time.perf_counter() >= 0)\n');
  const one = await engine(file), page = data(file);
  assert.deepEqual(forward(await one.call('open', page.lesson.id, page.flags, page.most_cells)), forward(page));
  rmSync(folder, {recursive: true});
});

test('a number that is set, and taken back', {skip: none}, async () => {
  const one = await engine('journey'), plain = data('journey'), change = 'inputs:inputs[1,2]=0.5';
  await one.call('open', 'journey', plain.flags, plain.most_cells);
  assert.deepEqual(forward(await one.call('set', change)), forward(data('journey', '--set', change)));
  assert.deepEqual(forward(await one.call('take_back')), forward(plain));
  await assert.rejects(one.call('take_back'), /nothing was set/);
  await assert.rejects(one.call('set', 'inputs:inputs[9,9]=1'), /inputs/);
  await assert.rejects(one.call('open', 'journey', {'--seed': 'x'}, 1000), /--seed/);
  await assert.rejects(one.call('open', 'none', {}, 1000), /none/);
});

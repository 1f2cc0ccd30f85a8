// Firefox without a window, driven by Marionette, the remote control that every Firefox has: JSON over TCP.
import {spawn} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';

export const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox-esr';
export const hasFirefox = existsSync(FIREFOX);
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';  // the key of WebDriver's element references
const PATIENCE = 60_000;
const soon = milliseconds => new Promise(done => setTimeout(done, milliseconds));

// Returns what `attempt` returns as soon as that is truthy.
async function until(attempt, what) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await soon(100)) {
    const result = await attempt();
    if (result) return result;
  }
  throw new Error(`waited in vain for ${what}`);
}

export async function firefox() {
  const profile = mkdtempSync(path.join(tmpdir(), 'glassgrad-firefox-'));
  // Port 0: Firefox takes a free one and writes its number into the profile. No request leaves the machine.
  writeFileSync(path.join(profile, 'user.js'), ['marionette.port', 'network.dns.disabled', 'network.proxy.type'].map((name, i) =>
    `user_pref("${name}", ${[0, true, 0][i]});\n`).join(''));
  const child = spawn(FIREFOX, ['--headless', '--marionette', '--no-remote', '--profile', profile], {stdio: 'ignore'});
  const port = await until(() => {
    const file = path.join(profile, 'MarionetteActivePort');
    return existsSync(file) && Number(readFileSync(file, 'utf8'));
  }, 'Firefox to start');

  const socket = connect(port, '127.0.0.1'), waiting = new Map();
  let received = Buffer.alloc(0), calls = 0;
  socket.on('data', bytes => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const colon = received.indexOf(':'), length = Number(received.subarray(0, Math.max(colon, 0)));
      if (colon < 0 || received.length < colon + 1 + length) return;
      const message = JSON.parse(received.subarray(colon + 1, colon + 1 + length));
      received = received.subarray(colon + 1 + length);
      if (!Array.isArray(message)) continue;  // the greeting
      const [, id, error, result] = message, {resolve, reject} = waiting.get(id);
      waiting.delete(id);
      if (error) reject(new Error(`${error.error}: ${error.message}`));
      else resolve(result);
    }
  });
  function command(name, parameters = {}) {
    const text = JSON.stringify([0, ++calls, name, parameters]);
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((resolve, reject) => waiting.set(calls, {resolve, reject}));
  }
  await command('WebDriver:NewSession', {});

  const element = selector => until(async () => {
    try {
      return (await command('WebDriver:FindElement', {using: 'css selector', value: selector})).value[ELEMENT];
    } catch {
      return null;
    }
  }, selector);
  const run = async (script, ...args) => (await command('WebDriver:ExecuteScript', {script, args})).value;
  return {
    goto: url => command('WebDriver:Navigate', {url}),
    run,  // the function's body, which returns JSON
    until: (script, ...args) => until(() => run(script, ...args), script),
    click: async selector => command('WebDriver:ElementClick', {id: await element(selector)}),
    type: async (selector, text) => command('WebDriver:ElementSendKeys', {id: await element(selector), text}),
    async close() {
      const ended = new Promise(done => child.once('exit', done));
      await command('Marionette:Quit', {flags: ['eForceQuit']}).catch(() => {});
      socket.destroy();
      const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(patience);
      rmSync(profile, {recursive: true, force: true});
    },
  };
}

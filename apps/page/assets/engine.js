// The engine: glassgrad itself, compiled to WebAssembly. The page carries its bytes, so that nothing is loaded.
//   await engine.start();              an Error says why there is none
//   engine.call('read', name, text, own);  a lesson's file, which the page carries too; own: 1, of the reader's own
//   engine.call('cell', address);      what it answers, or an Error in its words
//   engine.call('course', name, text); a course's file, instead of a lesson's
//   engine.trial(10, 'edit', line, text);  the same call in a Worker, which is ended after so many seconds
function engineOf() {
  let exports = null, broken = '';

  // What a program asks of the system around it, here a page: no environment, no files, chance as browsers have it.
  const NOT_HERE = 52;  // WASI's number for it
  const bytes = () => new Uint8Array(exports.memory.buffer);
  const system = {
    environ_sizes_get(count, size) {
      new DataView(exports.memory.buffer).setUint32(count, 0, true);
      new DataView(exports.memory.buffer).setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    getentropy(to, size) {
      crypto.getRandomValues(bytes().subarray(to, to + size));
      return 0;
    },
    proc_exit() { throw new Error('it had to end'); },
  };
  const importsOf = module => {
    const imports = {};
    for (const {module: from, name} of WebAssembly.Module.imports(module))
      (imports[from] ??= {})[name] = system[name] ?? (() => NOT_HERE);
    return imports;
  };

  // Texts are UTF-8 that ends in a zero.
  const put = text => {
    const utf8 = new TextEncoder().encode(text), at = exports.malloc(utf8.length + 1);
    if (!at) throw new RangeError('out of memory');
    bytes().set(utf8, at);
    bytes()[at + utf8.length] = 0;
    return at;
  };
  const textAt = at => new TextDecoder().decode(bytes().subarray(at, bytes().indexOf(0, at)));

  const ask = (name, args) => {
    const taken = [];
    try {
      const given = args.map(arg => {
        if (typeof arg === 'number') return arg;
        taken.push(put(typeof arg === 'string' ? arg : JSON.stringify(arg)));
        return taken.at(-1);
      });
      return textAt(exports[name](...given));
    } catch (error) {  // it never throws: its memory or its stack is at an end, and what it holds is not to be trusted
      broken = `the engine has stopped (${error.message}); load the page again`;
      throw new Error(broken);
    } finally {
      if (!broken) taken.forEach(exports.free);
    }
  };

  return {
    async use(module) {
      exports = (await WebAssembly.instantiate(module, importsOf(module))).exports;
      exports._initialize();
    },
    isThere: () => exports !== null,
    isBroken: () => broken !== '',
    call(name, ...args) {
      if (broken) throw new Error(broken);
      const answer = JSON.parse(ask(name, args));
      if (answer?.error !== undefined) throw new Error(answer.error);
      return answer;
    },
  };
}

const engine = (() => {
  const here = engineOf();
  let module = null, turns = 0, calls = [];  // those that have made the run what it is

  function remember(name, args) {
    ++turns;
    if (name === 'open') calls = calls.filter(([before]) => before === 'read');
    if (['read', 'open', 'set', 'edit', 'course'].includes(name)) calls.push([name, ...args]);
    else if (name === 'take_back') calls.pop();
    else --turns;
  }

  // What a Worker does: it has an engine of its own, brings it to where the page's is, and makes one call more.
  function worker() {
    onmessage = async ({data: {module: given, calls: all}}) => {
      const own = engineOf();
      try {
        await own.use(given);
        let answer;
        for (const call of all) answer = own.call(...call);
        postMessage({answer});
      } catch (error) {
        postMessage({error: own.isBroken() ? 'it took more memory than a page has.' : error.message});
      }
    };
  }

  return {
    async start() {
      if (here.isThere()) return;
      const carried = document.getElementById('wasm');
      if (!carried) throw new Error('it was made by a glassgrad without WebAssembly.');
      try {
        const packed = new Blob([Uint8Array.from(atob(carried.textContent), c => c.charCodeAt(0))]);
        const unpacked = new Response(packed.stream().pipeThrough(new DecompressionStream('gzip')));
        module = await WebAssembly.compile(await unpacked.arrayBuffer());
        await here.use(module);
      } catch (error) {
        throw new Error(`this browser cannot run its engine (${error.message}).`);
      }
    },
    call(name, ...args) {
      const answer = here.call(name, ...args);
      remember(name, args);
      return answer;
    },
    // {done, end, isCurrent}: done is what the call answers, and fails with the engine's error, after so many seconds
    // with that, or with `why` of end(why). isCurrent: the run is what it was when the trial began.
    trial(seconds, name, ...args) {
      let end = null;
      const turn = turns, refused = 'This browser lets a page run nothing beside itself, so no line can be tried here.';
      const done = new Promise((resolve, reject) => {
        const source = URL.createObjectURL(new Blob([`${engineOf}\n(${worker})();`], {type: 'text/javascript'}));
        let one = null;
        const over = finish => {
          clearTimeout(clock);
          URL.revokeObjectURL(source);
          one?.terminate();
          finish();
        };
        const clock = setTimeout(() => end(`It has not come to an end in ${seconds} seconds, so it was stopped.`),
          seconds * 1000);
        end = why => over(() => reject(new Error(why)));
        try {
          one = new Worker(source);
        } catch {
          return end(refused);
        }
        one.onerror = () => end(refused);
        one.onmessage = ({data: {answer, error}}) => over(() => error === undefined ? resolve(answer) : reject(new Error(error)));
        one.postMessage({module, calls: [...calls, [name, ...args]]});
      });
      return {done, end: why => end(why), isCurrent: () => turn === turns};
    },
  };
})();

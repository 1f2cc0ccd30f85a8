// The engine: glassgrad itself, compiled to WebAssembly. The page carries its bytes, so that nothing is loaded.
//   await engine.start();              an Error says why there is none
//   engine.call('read', name, text, own);  a lesson's file, which the page carries too; own: 1, of the reader's own
//   engine.call('cell', address);      what it answers, or an Error in its words
const engine = (() => {
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
    async start() {
      if (exports) return;
      const carried = document.getElementById('wasm');
      if (!carried) throw new Error('it was made by a glassgrad without WebAssembly.');
      try {
        const packed = new Blob([Uint8Array.from(atob(carried.textContent), c => c.charCodeAt(0))]);
        const unpacked = new Response(packed.stream().pipeThrough(new DecompressionStream('gzip')));
        const module = await WebAssembly.compile(await unpacked.arrayBuffer());
        exports = (await WebAssembly.instantiate(module, importsOf(module))).exports;
      } catch (error) {
        throw new Error(`this browser cannot run its engine (${error.message}).`);
      }
      exports._initialize();
    },
    call(name, ...args) {
      if (broken) throw new Error(broken);
      const answer = JSON.parse(ask(name, args));
      if (answer?.error !== undefined) throw new Error(answer.error);
      return answer;
    },
  };
})();

// The engine: glassgrad itself, compiled to WebAssembly. The page carries its bytes, so that nothing is loaded. It runs
// in a Worker, so that the page never freezes; where a page may start no Worker, it runs in the page.
//   await engine.start();                 throws an Error that says why there is no engine
//   await engine.call('cell', address);   returns the answer or throws the engine's Error; one call after the other
//   const job = engine.run({seconds, follow}, 'edit', line, text);
//     job.done: as from call(). job.end(why) rejects it with the Error `why` and leaves the engine as before the call
//     seconds: the time limit. follow(multiplications) is called with the progress
//   engine.isBeside                       false: the page freezes while the engine computes
// engineOf(goesOn): the engine alone. goesOn(multiplications) returns whether the call may go on.
function engineOf(goesOn) {
  let exports = null, broken = false;

  // The module's system calls, as a page answers them: no environment, no files; random numbers and the time from the
  // browser.
  const NOT_HERE = 52;  // WASI's errno for "not supported"
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
    clock_time_get(id, precision, to) {  // 0: the time of day; else a clock that only grows
      const milliseconds = id ? performance.now() : Date.now();
      new DataView(exports.memory.buffer).setBigUint64(to, BigInt(Math.round(milliseconds * 1e6)), true);
      return 0;
    },
    proc_exit() { throw new Error('it had to end'); },
    goes_on: multiplications => Number(goesOn(multiplications)),
  };
  const importsOf = module => {
    const imports = {};
    for (const {module: from, name} of WebAssembly.Module.imports(module))
      (imports[from] ??= {})[name] = system[name] ?? (() => NOT_HERE);
    return imports;
  };

  // Texts are zero-terminated UTF-8.
  const put = text => {
    const utf8 = new TextEncoder().encode(text), at = exports.malloc(utf8.length + 1);
    if (!at) throw new RangeError('out of memory');
    bytes().set(utf8, at);
    bytes()[at + utf8.length] = 0;
    return at;
  };
  const textAt = at => new TextDecoder().decode(bytes().subarray(at, bytes().indexOf(0, at)));

  // The bytes that apps/page/bytes_as_text.h has written as text: two digits for 13 bits.
  const digit = code => code - 33 - (code > 34) - (code > 60) - (code > 92) | 0;  // 0 behind the end, where code is NaN
  function bytesOf(text) {
    const read = new Uint8Array(text.length * 13 / 16);
    let bits = 0, count = 0, at = 0;
    for (let i = 0; i < text.length; i += 2) {
      bits |= digit(text.charCodeAt(i)) + 91 * digit(text.charCodeAt(i + 1)) << count;
      for (count += i + 1 < text.length ? 13 : 6; count >= 8; count -= 8, bits >>= 8) read[at++] = bits;
    }
    return read;
  }

  return {
    // packed: the module's gzip as the page carries it.
    async load(packed) {
      for (const needed of ['WebAssembly', 'DecompressionStream'])
        if (typeof globalThis[needed] === 'undefined') throw new Error(`this browser has no ${needed}, which its engine needs.`);
      try {
        const zipped = new Blob([bytesOf(packed)]);
        const unpacked = new Response(zipped.stream().pipeThrough(new DecompressionStream('gzip')));
        const module = await WebAssembly.compile(await unpacked.arrayBuffer());
        exports = (await WebAssembly.instantiate(module, importsOf(module))).exports;
        exports._initialize();
      } catch ({message}) {
        if (/content security policy|unsafe-eval|blocked by csp/i.test(message))
          throw new Error('the Content-Security-Policy where it stands lets no page run WebAssembly.');
        throw new Error(`its engine does not start (${message}).`);
      }
    },
    get isBroken() { return broken; },
    // Returns the answer as text. The engine reports its own errors in the answer; an exception means that its memory
    // or stack ran out, so its state cannot be trusted.
    ask(name, ...args) {
      const taken = [];
      try {
        const given = args.map(arg => {
          if (typeof arg === 'number') return arg;
          taken.push(put(typeof arg === 'string' ? arg : JSON.stringify(arg)));
          return taken.at(-1);
        });
        return textAt(exports[name](...given));
      } catch {
        broken = true;
        throw new Error('it took more memory than a page has.');
      } finally {
        if (!broken) taken.forEach(exports.free);
      }
    },
  };
}

// An engine runs in one of two hosts: {load(packed), ask(call, {seconds, follow}), end()}.
// This host is a Worker beside the page. load() fails with an error that isBlocked where no Worker may run.
function engineBeside() {
  // Runs in the Worker. It can use nothing of the page except engineOf.
  function serve() {
    let told = 0;
    const own = engineOf(multiplications => {
      const now = performance.now();
      if (now - told > 100) {
        told = now;
        postMessage({multiplications});
      }
      return true;
    });
    onmessage = async ({data: {packed, call}}) => {
      try {
        postMessage({answer: packed ? await own.load(packed) : own.ask(...call)});
      } catch ({message}) {
        postMessage({error: message, isBroken: own.isBroken});
      }
    };
  }
  let worker = null, waiting = null, hasLoaded = false;
  const exchange = (message, follow) => new Promise((resolve, reject) => {
    waiting = {resolve, reject, follow};
    worker.postMessage(message);
  });
  return {
    load(packed) {
      const blocked = () => Object.assign(new Error('no Worker may run here.'), {isBlocked: true});
      const source = URL.createObjectURL(new Blob([`${engineOf}\n(${serve})();`], {type: 'text/javascript'}));
      try {
        worker = new Worker(source);
      } catch {
        return Promise.reject(blocked());
      }
      worker.onerror = event => {
        event.preventDefault();
        waiting.reject(hasLoaded ? Object.assign(new Error(event.message), {isBroken: true}) : blocked());
      };
      worker.onmessage = ({data: {multiplications, answer, error, isBroken}}) => {
        if (multiplications !== undefined) waiting.follow?.(multiplications);
        else if (error !== undefined) waiting.reject(Object.assign(new Error(error), {isBroken}));
        else waiting.resolve(answer);
      };
      return exchange({packed}).then(() => { hasLoaded = true; }).finally(() => URL.revokeObjectURL(source));
    },
    ask: (call, {follow}) => exchange({call}, follow),
    end: () => worker?.terminate(),
  };
}

// This host is the page, which freezes during a call. Only the time limit ends a call.
function engineInPage() {
  let until = Infinity;
  const own = engineOf(() => performance.now() < until);
  // Waits until the page has drawn its message about the call. A page in the background draws nothing, hence the timer.
  const drawn = () => new Promise(done => {
    setTimeout(done, 60);
    globalThis.requestAnimationFrame?.(() => setTimeout(done));
  });
  return {
    load: packed => own.load(packed),
    async ask(call, {seconds, job}) {
      await drawn();
      if (job?.isOver) return 'null';
      until = seconds ? performance.now() + 1000 * seconds : Infinity;
      try {
        return own.ask(...call);
      } catch (error) {
        throw Object.assign(error, {isBroken: own.isBroken});
      }
    },
    end() {},
  };
}

const engine = (() => {
  let host = null, started = null, isBeside = true, packed = '';
  let calls = [];  // the calls that led to the present run
  let last = Promise.resolve();  // the call before the next one, however it ends

  function remember(name, args) {
    if (name === 'open') calls = calls.filter(([before]) => before === 'read');
    if (['read', 'open', 'set', 'edit', 'course', 'model'].includes(name)) calls.push([name, ...args]);
    else if (name === 'take_back') calls.pop();
  }
  function drop() {
    host?.end();
    host = started = null;
  }
  // Starts a host. If it replaces a stopped host, it first repeats the calls that led to the present run.
  async function start(follow) {
    host = isBeside ? engineBeside() : engineInPage();
    try {
      await host.load(packed);
    } catch (error) {
      if (!error.isBlocked) throw error;
      isBeside = false;
      return start(follow);
    }
    for (const call of calls) await host.ask(call, {follow});
  }

  const late = seconds => `It has not come to an end in ${seconds} seconds, so it was stopped.`;

  async function compute(job, {seconds, follow}, name, args) {
    let clock = 0;
    try {
      await (started ??= start(follow));
      if (job.isOver) return null;
      if (seconds && isBeside) clock = setTimeout(() => job.end(late(seconds)), 1000 * seconds);
      const answer = JSON.parse(await host.ask([name, ...args], {seconds, follow, job}));
      if (job.isOver) return null;
      if (answer?.error !== undefined) throw new Error(answer.error === 'stopped' ? late(seconds) : answer.error);
      remember(name, args);
      return answer;
    } catch (error) {
      if (error.isBroken) drop();
      throw error;
    } finally {
      clearTimeout(clock);
    }
  }

  function run(how, name, ...args) {
    const before = last, job = {isOver: false, runs: false};
    job.done = new Promise((resolve, reject) => {
      job.end = why => {
        if (job.isOver) return;
        job.isOver = true;
        if (job.runs && isBeside) drop();
        reject(new Error(why));
      };
      before.then(async () => {
        if (job.isOver) return;
        job.runs = true;
        try {
          resolve(await compute(job, how, name, args));
        } catch (error) {
          reject(error);
        }
        job.isOver = true;
      });
    });
    last = Promise.allSettled([before, job.done]);
    return job;
  }

  return {
    async start() {
      packed = document.getElementById('wasm')?.textContent ?? '';
      if (!packed) throw new Error('it was made by a glassgrad without WebAssembly.');
      await (started ??= start());
    },
    run,
    call: (name, ...args) => run({}, name, ...args).done,
    get isBeside() { return isBeside; },
  };
})();

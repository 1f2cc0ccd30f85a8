// What wasm.cpp asks of the page beside WASI's calls, so that the linker knows these names. assets/engine.js answers.
mergeInto(LibraryManager.library, {goes_on: () => 1});

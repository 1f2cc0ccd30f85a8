// The imports of wasm.cpp beside WASI's, so that the linker knows their names. assets/engine.js implements them.
mergeInto(LibraryManager.library, {goes_on: () => 1});

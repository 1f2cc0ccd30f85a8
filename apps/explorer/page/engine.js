// The engine: glassgrad itself, compiled to WebAssembly.

// Bundles the page into dist/page, which the package contains and `icecore serve` sends. Views are loaded when they are opened.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  // esbuild's automatic JSX needs no plugin.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../../dist/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // A data URL would need a weaker policy of the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

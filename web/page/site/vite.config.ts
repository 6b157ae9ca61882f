// Bundles the page of one run into dist/page/site, which `icecore report --site` copies: one script and one style sheet.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  publicDir: fileURLToPath(new URL('../public', import.meta.url)),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    outDir: fileURLToPath(new URL('../../../dist/page/site', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    lib: {
      entry: fileURLToPath(new URL('main.tsx', import.meta.url)),
      formats: ['iife'],
      name: 'icecorePage',
      fileName: () => 'page.js',
      cssFileName: 'page',
    },
    rolldownOptions: { output: { codeSplitting: false } },
  },
});

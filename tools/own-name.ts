// Examples import icecore by its name, as in a user's project. In tests that name means the sources of this clone, not an installed package.
import { readFileSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';

const root = new URL('../', import.meta.url);
const { exports: entries } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};

// A worker reuses what another compiled.
enableCompileCache(process.env['NODE_COMPILE_CACHE']);

registerHooks({
  resolve(specifier, context, next) {
    const entry = /^icecore(?:\/|$)/.test(specifier) ? entries[specifier.replace('icecore', '.')] : undefined;
    if (entry === undefined || typeof entry === 'string') return next(specifier, context);
    const source = entry.default.replace('./dist/', './').replace(/\.js$/, '.ts');
    return next(new URL(source, root).href, context);
  },
});

// Every process that records many events starts the storing thread, and loading schemas would take it longer than its work.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('the storing thread loads no schemas', () => {
  const modules = ['writing.ts', 'bulk-messages.ts', 'connection.ts', 'access.ts'];
  const program = `
    import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context); } });
    for (const url of ${JSON.stringify(modules.map((name) => new URL(name, import.meta.url).href))}) await import(url);`;
  const args = ['--input-type=module', '--eval', program];
  const loaded = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n');
  expect(loaded.filter((url) => url.endsWith('/writing.ts'))).toHaveLength(1);
  expect(loaded.filter((url) => /node_modules|schemas\/catalogue/.test(url))).toEqual([]);
});

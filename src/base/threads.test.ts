// Threads use the compile cache of their process.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { moduleBeside } from './threads.ts';

const threads = new URL('threads.ts', import.meta.url).href;

function folderOfThread(program: string): string {
  const env = { ...process.env };
  delete env['NODE_COMPILE_CACHE'];
  const args = ['--input-type=module', '--eval', program];
  return execFileSync(process.execPath, args, { encoding: 'utf8', env });
}

it('a thread uses the compile cache of its process, if the process has one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-threads-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const thread = join(folder, 'thread.mjs');
  writeFileSync(
    thread,
    `import { getCompileCacheDir } from 'node:module';
     import { parentPort } from 'node:worker_threads';
     parentPort.postMessage(String(getCompileCacheDir()));`,
  );
  const started = `
    const { startThread } = await import(${JSON.stringify(threads)});
    startThread(new URL(${JSON.stringify(`file://${thread}`)})).on('message', (found) => process.stdout.write(found));`;
  const cache = join(folder, 'compiled');
  const enabled = `(await import('node:module')).enableCompileCache(${JSON.stringify(cache)});`;
  const found = folderOfThread(`${enabled}${started}`);
  expect(readdirSync(cache).map((name) => join(cache, name))).toEqual([found]);
  expect(folderOfThread(started)).toBe('undefined');
});

it('the module of a thread is a .ts file next to sources and a .js file next to built code', () => {
  expect(moduleBeside('worker', 'file:///clone/src/part/asker.ts').href).toBe('file:///clone/src/part/worker.ts');
  expect(moduleBeside('worker', 'file:///package/dist/part/asker.js').href).toBe('file:///package/dist/part/worker.js');
});

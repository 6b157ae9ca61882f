// The memory use of a folder of blobs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { MiB } from './contract/samples.ts';
import { openBlobs } from './open.ts';

it('a stream of any size needs little memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-faults-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = fileURLToPath(new URL('./testing/large-put.ts', import.meta.url));
  const url = `folder:${join(folder, 'store')}`;
  await (await openBlobs(url, { create: true })).close();
  const put = execFileSync(process.execPath, [program, url], { encoding: 'utf8' });
  const found = JSON.parse(put);
  expect(found.readBytes).toBe(found.putBytes);
  expect(found.putBytes).toBe(768 * MiB);
  expect(found.grownMiB).toBeLessThan(256);
});

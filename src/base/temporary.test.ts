import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sweep, temporaryPath } from './temporary.ts';

it('removes files of killed writers, but not files being written here or elsewhere', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-parts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  const own = temporaryPath(folder);
  const left = own.replace(`-${process.pid}-`, `-${gone}-`);
  const elsewhere = left.replace(/icecore-[0-9a-f]{12}/, 'icecore-0123456789ab');
  const old = elsewhere.replace('.part', '0.part');
  const blob = join(folder, 'other.zst');
  for (const path of [own, left, elsewhere, old, blob]) writeFileSync(path, 'a text');
  utimesSync(old, 0, 0);
  await sweep(folder);
  expect([own, left, elsewhere, old, blob].map((path) => existsSync(path))).toEqual([true, false, true, false, true]);
});

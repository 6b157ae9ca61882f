// An untrusted folder may contain links where icecore keeps unfinished work: their targets must stay untouched.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { sweep, sweepAbove, withWorkingFolder } from './temporary.ts';

let folder: string;
let downloads: string;
let download: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-working-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  downloads = join(folder, 'downloads');
  mkdirSync(downloads);
  download = join(downloads, 'film.part');
  for (const path of [download, join(downloads, 'icecore-0123456789ab-1-0123456789abcdef01.part')]) {
    writeFileSync(path, 'not for icecore');
    utimesSync(path, 0, 0);
  }
});

it('does not follow a link in place of the working folder when sweeping', async () => {
  const stranger = join(folder, 'stranger');
  mkdirSync(join(stranger, 'inside'), { recursive: true });
  symlinkSync(downloads, join(stranger, '.icecore-unfinished'));
  await sweepAbove(join(stranger, 'inside'));
  await sweep(join(stranger, '.icecore-unfinished'));
  expect(readdirSync(downloads)).toHaveLength(2);
});

it('does not write through a link in place of the working folder', async () => {
  symlinkSync(downloads, join(folder, '.icecore-unfinished'));
  let isCalled = false;
  const body = async (): Promise<void> => {
    isCalled = true;
  };
  await expect(withWorkingFolder(folder, body)).rejects.toThrow(/it is a link to another place/);
  expect(isCalled).toBe(false);
  expect(readdirSync(downloads)).toHaveLength(2);
});

it('does not remove .part files of other programs, however old they are', async () => {
  await sweep(downloads);
  expect(existsSync(download)).toBe(true);
});

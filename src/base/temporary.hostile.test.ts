// A folder that a stranger hands over may hold links where icecore keeps unfinished work: nothing they point at is touched.
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

it('a link in the place of the working folder is not followed to sweep', async () => {
  const stranger = join(folder, 'stranger');
  mkdirSync(join(stranger, 'inside'), { recursive: true });
  symlinkSync(downloads, join(stranger, '.icecore-unfinished'));
  await sweepAbove(join(stranger, 'inside'));
  await sweep(join(stranger, '.icecore-unfinished'));
  expect(readdirSync(downloads)).toHaveLength(2);
});

it('a link in the place of the working folder is not worked in', async () => {
  symlinkSync(downloads, join(folder, '.icecore-unfinished'));
  let isCalled = false;
  const body = async (): Promise<void> => {
    isCalled = true;
  };
  await expect(withWorkingFolder(folder, body)).rejects.toThrow(/it is a link to another place/);
  expect(isCalled).toBe(false);
  expect(readdirSync(downloads)).toHaveLength(2);
});

it('what others called .part is not swept away, however old it is', async () => {
  await sweep(downloads);
  expect(existsSync(download)).toBe(true);
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readRegularFile } from './regular-file.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-file-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a regular file', () => {
  it.each([0, 1, 4096, 65_536])('of %d bytes is read completely if the limit allows it', (bytes) => {
    const path = join(folder, `of-${bytes}`);
    writeFileSync(path, Buffer.alloc(bytes, 7));
    expect(readRegularFile(path, bytes)).toEqual(Buffer.alloc(bytes, 7));
    expect(readRegularFile(path, 10_000_000)).toEqual(Buffer.alloc(bytes, 7));
    if (bytes > 0) expect(() => readRegularFile(path, bytes - 1)).toThrow(`found a file of ${bytes} bytes`);
  });

  it.each([
    ['a folder', 'folder', (path: string) => mkdirSync(path)],
    ['a FIFO', 'fifo', (path: string) => execFileSync('mkfifo', [path])],
    ['a device', 'device', (path: string) => symlinkSync('/dev/zero', path)],
  ])('is not %s', (found, name, make) => {
    const path = join(folder, name);
    make(path);
    expect(() => readRegularFile(path, 100)).toThrow(`found ${found}, allowed: a regular file of at most 100 bytes`);
  });
});

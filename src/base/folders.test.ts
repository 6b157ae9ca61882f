import { existsSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeFolder } from './folders.ts';

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-folder-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('a folder', () => {
  it('is created with its parents, and left alone if it exists', () => {
    const path = join(temporaryFolder(), 'a', 'b', 'c');
    makeFolder(path);
    writeFileSync(join(path, 'kept'), '');
    makeFolder(path);
    expect(statSync(join(path, 'kept')).isFile()).toBe(true);
  });

  it('is not created below a file, and the error names the file', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(join(file, 'a', 'b'))).toThrow(`${file}: the folder cannot be created (EEXIST`);
  });

  it.skipIf(!existsSync('/proc/self'))(
    'is not created on a file system that allows no new folders, and the error names the folder',
    () => {
      expect(() => makeFolder('/proc/icecore/a/b')).toThrow('/proc/icecore: the folder cannot be created (ENOENT');
    },
  );
});

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

  it('that was created first is returned, and all that were created have the mode', () => {
    const folder = temporaryFolder();
    expect(makeFolder(join(folder, 'a', 'b'), 0o700)).toBe(join(folder, 'a'));
    for (const path of ['a', 'a/b']) expect(statSync(join(folder, path)).mode & 0o077).toBe(0);
    expect(makeFolder(join(folder, 'a', 'b'))).toBeNull();
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

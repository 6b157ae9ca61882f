import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGivenFile } from './given-file.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const never = new AbortController().signal;

it.each([0, 1, 200_000])('a file of %d bytes is read completely', async (bytes) => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, 'é'.repeat(bytes / 2));
  expect(await readGivenFile(path, never)).toBe('é'.repeat(bytes / 2));
});

it('a missing file and a folder are errors of the file system', async () => {
  const folder = temporaryFolder();
  await expect(readGivenFile(join(folder, 'none'), never)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(readGivenFile(folder, never)).rejects.toMatchObject({ code: 'EISDIR' });
});

describe.skipIf(process.platform === 'win32')('a named pipe', () => {
  function pipe(): string {
    const path = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    return path;
  }

  it('is read up to the end of its writer, which may come later and pause', async () => {
    const path = pipe();
    const read = readGivenFile(path, never);
    const writer = await open(path, 'w');
    await writer.write('one\n');
    await new Promise(setImmediate);
    await writer.write('two\n');
    await writer.close();
    expect(await read).toBe('one\ntwo\n');
  });

  it('without a writer, or with a silent one, is abandoned when the signal aborts', async () => {
    for (const hasWriter of [false, true]) {
      const path = pipe();
      const stop = new AbortController();
      const read = readGivenFile(path, stop.signal);
      const writer = hasWriter ? await open(path, 'w') : null;
      stop.abort();
      await expect(read).rejects.toMatchObject({ name: 'AbortError' });
      await writer?.close();
    }
  });
});

it.skipIf(process.platform === 'win32')('a device that never ends is refused', async () => {
  const path = join(temporaryFolder(), 'device');
  symlinkSync('/dev/zero', path);
  await expect(readGivenFile(path, never)).rejects.toThrow('more than 67108864 bytes');
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { manifestName, requireFree } from './folder.ts';

it.skipIf(process.platform === 'win32').each([
  ['a FIFO', (path: string) => execFileSync('mkfifo', [path])],
  ['a link to a device', (path: string) => symlinkSync('/dev/zero', path)],
])('%s in place of the manifest of an export does not block, and the folder is not replaced', async (_, make) => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'theirs'));
  make(join(folder, manifestName));
  await expect(requireFree({ folder, ledger: 'mine' })).rejects.toThrow('other things');
});

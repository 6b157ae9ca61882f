// A folder of somebody else's may hold anything by the name that a report gets.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/harness.ts';
import { requireOwnReport } from './place.ts';

it.skipIf(process.platform === 'win32')('a FIFO there is no report, and nobody waits for it', async () => {
  const path = join(temporaryFolder(), 'mine.html');
  execFileSync('mkfifo', [path]);
  await expect(requireOwnReport(path, 'k3v9q2m8x1tz')).rejects.toThrow('is there already and is no report of this run');
});

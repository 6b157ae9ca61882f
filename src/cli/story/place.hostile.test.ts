// A folder of another user may contain anything under the name of the report.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/harness.ts';
import { requireOwnReport } from './place.ts';

it.skipIf(process.platform === 'win32')(
  'icecore report refuses a FIFO at its path without waiting for it',
  async () => {
    const path = join(temporaryFolder(), 'mine.html');
    execFileSync('mkfifo', [path]);
    await expect(requireOwnReport(path, 'k3v9q2m8x1tz')).rejects.toThrow(
      'is there already and is no report of this run',
    );
  },
);

// Where the tests of the code put their files: in memory, where there is plenty, since they write thousands of small ledgers to disk
// and wait for each. The tests of systems use the disk.
import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
const enough = 2 ** 31;

export function testFolder(): string {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > enough ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

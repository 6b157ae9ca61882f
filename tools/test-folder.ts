// The folder for temporary files of unit tests: in memory, if there is enough, because they write thousands of small ledgers. System tests use the
// disk.
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

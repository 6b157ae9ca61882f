// Tests that need processes, brokers, servers, packages or minutes. Otherwise everything is as in the other tests.
import { availableParallelism, tmpdir } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

export default defineConfig({
  test: {
    ...base.test,
    // `npm run test:all` runs the attacks in the same run.
    include: ['system', ...(process.env['ICECORE_TEST_HOSTILE'] === undefined ? [] : ['hostile'])].map(
      (kind) => `**/*.${kind}.test.ts`,
    ),
    exclude: [...configDefaults.exclude],
    // These tests wait for processes, brokers and browsers a quarter of the time.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // What a browser or a process does may take long on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ['./tools/built-page.ts'],
    // Properties are tried as often as they should be, and files are on a disk.
    env: { ...base.test?.env, TMPDIR: tmpdir(), ICECORE_TEST_SYSTEM: '1' },
  },
});

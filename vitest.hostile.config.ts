// The attacks: what a stranger hands over, tried against every verb. Otherwise everything is as in the other tests.
import { tmpdir } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

export default defineConfig({
  test: {
    ...base.test,
    include: ['**/*.hostile.test.ts'],
    exclude: [...configDefaults.exclude],
    // Properties are tried as often as they should be, and files are on a disk.
    env: { ...base.test?.env, TMPDIR: tmpdir(), ICECORE_TEST_SYSTEM: '1' },
  },
});

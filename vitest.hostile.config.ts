// The attacks: what a stranger hands over, tried against every verb. Otherwise everything is as in the other tests.
import { configDefaults, defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

export default defineConfig({
  resolve: base.resolve ?? {},
  test: {
    ...base.test,
    include: ['**/*.hostile.test.ts'],
    exclude: [...configDefaults.exclude],
    // Properties are tried as often as they should be.
    env: { ...base.test?.env, ICECORE_TEST_SYSTEM: '1' },
  },
});

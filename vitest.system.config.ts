// Tests that need processes, brokers, servers, packages or minutes. Otherwise everything is as in the other tests.
import { configDefaults, defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

export default defineConfig({
  resolve: base.resolve ?? {},
  test: {
    ...base.test,
    include: ['**/*.system.test.ts'],
    exclude: [...configDefaults.exclude],
    // Properties are tried as often as they should be.
    env: { ...base.test?.env, ICECORE_TEST_SYSTEM: '1' },
  },
});

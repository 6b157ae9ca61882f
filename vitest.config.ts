import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BrokersEarly } from './tools/brokers-early.ts';
import { testFolder } from './tools/test-folder.ts';

export default defineConfig({
  test: {
    include: [
      'schemas/**/*.test.ts',
      'src/**/*.test.ts',
      'testbed/**/*.test.ts',
      'web/**/*.test.ts',
      'tools/**/*.test.ts',
      'examples/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    // Attacks start processes under strace, which takes time: `npm run test:hostile` runs them. `npm run test:system` runs what
    // needs processes, brokers or packages; with ICECORE_TEST_SYSTEM `npm test` runs that too.
    exclude: [
      ...configDefaults.exclude,
      '**/*.hostile.test.ts',
      ...(process.env['ICECORE_TEST_SYSTEM'] === undefined ? ['**/*.system.test.ts'] : []),
    ],
    setupFiles: ['./tools/own-name.ts', './tools/chance.ts', './tools/test-user.ts'],
    pool: 'forks',
    // Tests make much that is soon garbage: with more room for it, it is collected less often, and little of it is copied.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=32'],
    // What a test file imports takes longer to load than most of them take to run. No module keeps what a test changed.
    isolate: false,
    // Node runs TypeScript by itself, and faster than what Vite makes of it.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // What tests start loads the same modules as well; each is compiled once.
    env: {
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
      ...(process.env['ICECORE_TEST_SYSTEM'] === undefined ? { TMPDIR: testFolder() } : {}),
    },
    // One fewer than there are cores, which is what it takes otherwise, would leave half of a small machine idle.
    maxWorkers: availableParallelism(),
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // On a shared machine one failure in thousands may be its doing: such a test is tried once more, and named at the end.
    retry: process.env['CI'] === undefined ? 0 : 1,
    // Slow tests are no news here: a list of them would hide the failures.
    slowTestThreshold: 60_000,
    sequence: { sequencer: BrokersEarly },
    reporters: ['default', './tools/closing-line.ts'],
  },
});

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'schemas/**/*.test.ts',
      'src/**/*.test.ts',
      'tools/**/*.test.ts',
      'examples/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    pool: 'forks',
    // One fewer than there are cores, which is what it takes otherwise, would leave half of a small machine idle.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './tools/closing-line.ts'],
  },
});

// What of a settings file is about runs: what counts where neither options nor a run file say otherwise.
import type { z } from 'zod';
import { type RunFile, runFile } from './run-file.ts';

export const runDefaults = runFile.pick({
  environment: true,
  policy: true,
  trainer: true,
  engineer: true,
  context: true,
  seed: true,
  stages: true,
  budget: true,
});

export type RunDefaults = Pick<RunFile, keyof z.infer<typeof runDefaults>>;

// What settings files share with run files: the defaults of runs, and where texts are stored.
import type { z } from 'zod';
import { type RunFile, runFile } from './run-file.ts';

/** Within their events, or as blobs that can be erased. */
export const textPlaces = ['inline', 'blobs'] as const;

export type TextPlace = (typeof textPlaces)[number];

export function isTextPlace(value: unknown): value is TextPlace {
  return textPlaces.some((place) => place === value);
}

/** Settings of new runs that neither options nor a run file set. */
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

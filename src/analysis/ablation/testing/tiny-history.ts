// Ablations of a tiny run that all tests of a file share.
import { afterAll, beforeAll } from 'vitest';
import { ablateTiny, keptRuns, type TinyAblation } from '../../../producers/ablation/testing/tiny-ablation.ts';
import { type TinyPlace, tinySettings } from '../../../producers/run/testing/tiny.ts';
import { completion } from '../conclude.ts';

export const tinyRun = 'whole0000000';

/** Records the run before the first test; each call ablates it. */
export function ablatingTinyRun(): (tiny?: Omit<TinyAblation, 'runs'>) => ReturnType<typeof ablateTiny> {
  const settings = tinySettings({ stages: 3, budget: { 'agent-steps': 60 }, validation: 4, trained: 4 });
  let place: TinyPlace;
  beforeAll(async () => {
    place = await (await keptRuns({ run: tinyRun, settings })).copy();
  }, 60_000);
  afterAll(() => place.close());
  return (tiny = {}) => ablateTiny(place, { runs: [tinyRun], conclude: completion, ...tiny });
}

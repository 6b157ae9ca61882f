// The options of an ablation as AblationStarted records them: how its arms were made, and its units.
import { z } from 'zod';
import { name, runId, wideInteger } from './primitives.ts';

export const ablationOptions = z.strictObject({
  choice: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('as-named') }),
      z.strictObject({ kind: z.literal('leave-one-out') }),
      z.strictObject({ kind: z.literal('factorial'), factors: z.array(name) }),
      z.strictObject({ kind: z.literal('paper') }),
      z.strictObject({ kind: z.literal('sensitivity'), items: z.array(z.string()) }),
    ])
    .describe('how the context forms were made from the named ones'),
  engineers: z
    .array(z.union([name, z.array(z.string())]))
    .describe('the engineers as given; a program with its arguments'),
  baselines: z.array(name).describe('the baselines that were added; absent: all').optional(),
  units: z.array(z.strictObject({ unit: z.string(), run: runId, seed: wideInteger })),
});

export type AblationOptions = z.infer<typeof ablationOptions>;

// What `icecore lab headroom` prints: how much a good decision could gain in an environment, and how many seeds it takes to find
// that.
import { z } from 'zod';
import { count, name, runId, share } from './primitives.ts';

const number = z.number().nullable();

export const headroom = z.strictObject({
  ledger: z.string(),
  environment: name,
  ablation: runId.describe('the ablation that measured it'),
  name: name.describe('of the ablation, and the tag of its runs'),
  measure: name,
  is: z.enum(['share', 'number']),
  seeds: count,
  arms: z
    .array(
      z.strictObject({
        arm: name,
        upperBound: z.boolean().describe('it cheats: it reads what the environment hides'),
        mean: number,
        gain: number.describe('its mean difference to uniform, in favour of the arm if positive'),
      }),
    )
    .describe('best first'),
  noise: number.describe(
    'the standard deviation of a seed: the largest of those of uniform and of the differences to it',
  ),
  oracle: z
    .strictObject({ arm: name, gain: z.number() })
    .nullable()
    .describe('the best arm that cheats; null: none knows what this environment hides'),
  best: z
    .strictObject({ arm: name, gain: z.number() })
    .nullable()
    .describe(
      'the best other arm, chosen on one half of the seeds and measured on the other half, both ways; null: too few seeds',
    ),
  power: share,
  alpha: share,
  finds: z
    .array(z.strictObject({ seeds: count, difference: number.describe('null: no difference, however large') }))
    .describe('the smallest difference that one contrast finds with this number of seeds'),
  needed: count
    .nullable()
    .describe('seeds that find the largest of the gains; null: there is no gain, or more than 10,000'),
  says: z.array(z.string()),
});

/** The headroom of an environment, as `icecore lab headroom --json` prints it. */
export type Headroom = z.infer<typeof headroom>;

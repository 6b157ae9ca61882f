// Engineers that see no context: their configuration follows from the descriptor, the stage and a seed alone, so they
// give no reasons.
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import type { Configuration } from '../environments/environment.ts';
import { withKnob } from '../environments/knobs.ts';
import { Random } from '../random.ts';
import type { Engineer, ProposalRequest } from './engineer.ts';

function blindEngineer(name: string, rationale: string, next: (request: ProposalRequest) => Configuration): Engineer {
  return {
    identity: { name, version: '1', reads: [] },
    reads: [],
    propose: async (request) => {
      request.signal?.throwIfAborted();
      return { proposal: { configuration: next(request), reasons: [], kept: null, predictions: null, rationale } };
    },
    close: async () => {},
  };
}

/**
 * The same configuration with each total divided among families by weight. A share without a family or with a family
 * without a weight gets nothing; a total whose families all lack a weight stays unchanged.
 */
export function withShares(
  descriptor: Descriptor,
  configuration: Configuration,
  weights: ReadonlyMap<string, number>,
): Configuration {
  let result = configuration;
  for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
    const shares = descriptor.knobs.filter(({ name }) => names.includes(name));
    const weightOf = (family: string | null): number => (family === null ? 0 : (weights.get(family) ?? 0));
    const sum = shares.reduce((sum, { family }) => sum + weightOf(family), 0);
    if (sum === 0) continue;
    for (const knob of shares) result = withKnob(result, knob, (total * weightOf(knob.family)) / sum);
  }
  return result;
}

/** Equal weights for these families and none for others. */
export function alike(families: readonly { readonly family: string }[]): ReadonlyMap<string, number> {
  return new Map(families.map(({ family }) => [family, 1]));
}

// The configuration of the first stage throughout: the baseline for every redesign.

export const fixed = blindEngineer('fixed', 'the configuration of the first stage, throughout', ({ first }) => first);

// Equal shares for all families at every stage; other knobs stay as they were in the first stage.

export const uniform = blindEngineer('uniform', 'all families alike', ({ descriptor, first }) =>
  withShares(descriptor, first, alike(descriptor.families)),
);

// Every knob at a random value in its range and random shares: measures what change alone does.

export const random = blindEngineer('random', 'drawn at random', drawn);

function drawn({ descriptor, current, stage, sample, seed }: ProposalRequest): Configuration {
  const chance = new Random(seed, 'engineer', 'random', stage, sample);
  let result = current;
  for (const knob of descriptor.knobs) result = withKnob(result, knob, settingOf(knob, chance));
  for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
    const shares = descriptor.knobs.filter(({ name }) => names.includes(name));
    // All ways to divide a total are equally likely.
    const parts = shares.map(() => -Math.log(1 - chance.fraction()));
    const sum = parts.reduce((sum, part) => sum + part, 0);
    shares.forEach((knob, i) => {
      result = withKnob(result, knob, (total * (parts[i] as number)) / sum);
    });
  }
  return result;
}

/** A whole number of steps above the minimum, without rounding noise. */
function settingOf({ range: { min, max }, step }: Knob, chance: Random): number {
  const steps = Math.floor((max - min) / step + 1e-9);
  const value = min + step * chance.below(steps + 1);
  return Math.min(Number(value.toPrecision(12)), max);
}

// Equal shares for the easiest families and nothing else throughout: a guess that someone who knows the environment
// would make. Environments list their families from easiest to hardest.

/** Of eight sizes, the three smallest. */
const smallPart = 3 / 8;

export const staticSmall = blindEngineer(
  'static-small',
  'the easiest families alike, throughout',
  ({ descriptor, first }) => {
    const few = Math.max(1, Math.round(smallPart * descriptor.families.length));
    return withShares(descriptor, first, alike(descriptor.families.slice(0, few)));
  },
);

// From easy to hard on a fixed schedule: a window of a few families with equal shares moves from the easiest to the
// hardest, whatever the policy has learned.

/** Of eight sizes, three at a time. */
const windowPart = 3 / 8;

export const schedule = blindEngineer(
  'schedule',
  'from the easiest families to the hardest, by the number of the stage',
  ({ descriptor, first, stage, stages }) => {
    const { families } = descriptor;
    const wide = Math.max(1, Math.round(windowPart * families.length));
    const last = families.length - wide;
    // The first stage uses its given configuration; the window starts with the second stage. If the number of stages is
    // unknown, the window moves by one family per stage.
    const from = stages === null ? stage - 1 : Math.round((last * (stage - 1)) / Math.max(stages - 2, 1));
    const begin = Math.min(from, last);
    return withShares(descriptor, first, alike(families.slice(begin, begin + wide)));
  },
);

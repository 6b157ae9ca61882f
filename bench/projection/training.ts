// A simulated training result: a curve that rises to the policy's current skill, and a learning signal.
import type { EventData } from '../../schemas/catalogue.ts';
import { Random } from '../../src/lab/random.ts';
import { sha256 } from '../../src/ledger/identity/ids.ts';
import { type Skill, sharesIn } from './skill.ts';

type Training = EventData['TrainingRecorded'];
type Checkpoint = NonNullable<Training['checkpoint']>;
type Signal = NonNullable<Training['learningSignal']>[number];

export interface Trained {
  readonly run: string;
  readonly stage: number;
  readonly families: readonly string[];
  readonly configuration: EventData['ConfigAdopted']['configuration'];
  readonly from: Checkpoint | null;
  readonly seed: string;
  /** After the training. */
  readonly skill: Skill;
  readonly components: Pick<Training, 'trainer' | 'policy'>;
}

const updates = 268;
const points = 67;
const decisions = 401_662;
const groupsOfSamples = 6456;

export function trainingOf(trained: Trained): Training {
  const { run, stage, configuration, from, seed, components } = trained;
  const random = new Random(seed, 'training');
  const shares = sharesIn(configuration);
  return {
    ...components,
    from,
    checkpoint: checkpointOf(run, stage),
    configuration: configuration.digest,
    seed,
    budget: { 'agent-steps': 400_000 },
    spent: { 'agent-steps': decisions, updates },
    curve: Array.from({ length: points }, (_, i) => pointOf(trained, (i + 1) / points, random)),
    learningSignal: signalOf(trained, shares, random),
    sampled: [...shares].map(([family, share]) => ({ family, tasks: Math.round(share * groupsOfSamples), share })),
    measured: { seconds: 4 + Math.round(random.fraction() * 1000) / 1000 },
  };
}

function checkpointOf(run: string, stage: number): Checkpoint {
  const digest = sha256(`checkpoint ${run} ${stage}`);
  return { reference: `bench:${run}/${stage}`, digest, bytes: 528_912, stage, step: updates };
}

function pointOf(
  { families, skill }: Trained,
  progress: number,
  random: Random,
): NonNullable<Training['curve']>[number] {
  const rates = families.map((family) =>
    Math.min(1, skill.rate(family) * (0.7 + 0.3 * progress + 0.2 * random.fraction())),
  );
  const signals = rates.map(differing);
  const named = (measure: string, values: readonly number[]) =>
    Object.fromEntries(families.map((family, i) => [`${measure}/${family}`, values[i] ?? 0]));
  return {
    step: Math.round(progress * updates),
    spent: { 'agent-steps': Math.round(progress * decisions) },
    values: {
      reward: mean(rates) * 1.15,
      entropy: 1.59 - 0.8 * progress + 0.1 * random.fraction(),
      kl: progress * (0.3 + 0.6 * random.fraction()),
      valid: mean(rates),
      signal: mean(signals),
      ...named('valid', rates),
      ...named('signal', signals),
    },
  };
}

function signalOf({ families, skill }: Trained, shares: ReadonlyMap<string, number>, random: Random): Signal[] {
  const own = families.map((family): Signal => {
    const compared = Math.round((shares.get(family) ?? 0) * groupsOfSamples);
    return signal(family, compared, Math.round(compared * differing(skill.rate(family))), random);
  });
  const all = (count: (one: Signal) => number): number => own.reduce((sum, one) => sum + count(one), 0);
  return [
    signal(
      null,
      all((one) => one.sampleGroups),
      all((one) => one.withVariance),
      random,
    ),
    ...own,
  ];
}

function signal(family: string | null, sampleGroups: number, withVariance: number, random: Random): Signal {
  const share = sampleGroups === 0 ? 0 : withVariance / sampleGroups;
  return {
    family,
    sampleGroups,
    withVariance,
    share,
    entropy: 1.3 - 0.5 * random.fraction(),
    kl: 0.2 + 0.2 * random.fraction(),
  };
}

/** The probability that eight attempts at one task do not all have the same result. */
function differing(rate: number): number {
  return 1 - rate ** 8 - (1 - rate) ** 8;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

// The configurations of a run: the settings of each stage, the changes between stages, and the division of training
// data.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { StageRow } from '../../../schemas/run-output.ts';
import { type Descriptor, type RunHistory, stageAt } from './run-history.ts';

export type Configuration = EventData['ConfigAdopted']['configuration'];
type KnobValue = Configuration['knobs'][number];

/** Null if it is not recorded. */
export function configurationOf(history: RunHistory, stage: number): Configuration | null {
  const started = stageAt(history, stage)?.started.data.configuration;
  const adopted = history.decisions.findLast(({ envelope }) => envelope.stage === stage);
  return started ?? adopted?.data.configuration ?? null;
}

export interface KnobDifference {
  readonly knob: string;
  readonly family: string | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly isChanged: boolean;
  /** In steps of the knob; null if unknown. */
  readonly steps: number | null;
}

/** All knobs of both, in the order of the second one. */
export function knobDifferences(
  descriptor: Descriptor | null,
  from: Configuration | null,
  to: Configuration | null,
): KnobDifference[] {
  const before = valuesOf(from);
  const after = valuesOf(to);
  const steps = stepsBy(descriptor);
  return [...new Set([...after.keys(), ...before.keys()])].map((knob) => {
    const was = before.get(knob);
    const is = after.get(knob);
    return {
      knob,
      family: (is ?? was)?.family ?? null,
      ...turn(steps.get(knob), was?.value ?? null, is?.value ?? null),
    };
  });
}

/** Floating-point noise is not a difference. */
const dust = 1e-9;

/** A knob's move in steps of this size. */
export function turn(
  step: number | undefined,
  from: number | null,
  to: number | null,
): Pick<KnobDifference, 'from' | 'to' | 'isChanged' | 'steps'> {
  if (from === null || to === null) return { from, to, isChanged: from !== to, steps: null };
  const isChanged = Math.abs(to - from) > dust * (step ?? Math.max(Math.abs(from), Math.abs(to)));
  return { from, to, isChanged, steps: step === undefined ? null : Number(((to - from) / step).toFixed(6)) };
}

type Turn = Pick<KnobDifference, 'knob' | 'from' | 'to'>;

/** In steps of their knobs, because knobs have different units. */
export function largestFirst<Some extends Turn>(turns: readonly Some[], steps: ReadonlyMap<string, number>): Some[] {
  const sizeOf = ({ knob, from, to }: Turn): number =>
    Math.abs(turn(steps.get(knob), from, to).steps ?? (to ?? 0) - (from ?? 0));
  return turns.toSorted((a, b) => sizeOf(b) - sizeOf(a));
}

export function stepsBy(descriptor: Descriptor | null): ReadonlyMap<string, number> {
  return new Map(descriptor?.knobs.map(({ name, step }) => [name, step]));
}

function valuesOf(configuration: Configuration | null): ReadonlyMap<string, KnobValue> {
  return new Map(configuration?.knobs.map((one) => [one.knob, one]));
}

/**
 * How training data is divided among families: the knobs that the descriptor declares as shares of one total, one per
 * family.
 */
export function sharesIn(descriptor: Descriptor | null, configuration: Configuration | null): StageRow['shares'] {
  if (configuration === null || descriptor === null) return [];
  const knobs = configuration.knobs.filter(({ family }) => family !== null);
  const whole = describedShares(descriptor, knobs);
  const total = whole.reduce((sum, { value }) => sum + value, 0);
  if (total <= 0 || new Set(whole.map(({ family }) => family)).size < whole.length) return [];
  return whole.map(({ family, value }) => ({ family: family ?? '', share: value / total }));
}

function describedShares({ sharesSum = [], families }: Descriptor, knobs: readonly KnobValue[]): readonly KnobValue[] {
  const order = families.map(({ family }) => family);
  const place = ({ family }: KnobValue): number => order.indexOf(family ?? '');
  for (const { knobs: names } of sharesSum) {
    const found = knobs.filter(({ knob }) => names.includes(knob));
    if (found.length > 1) return found.toSorted((a, b) => place(a) - place(b));
  }
  return [];
}

/** The name of a knob within its family: `hole` of `8.hole`. */
export function wordOf({ knob, family }: Pick<KnobValue, 'knob' | 'family'>): string {
  const prefix = `${family}.`;
  return family !== null && knob.startsWith(prefix) ? knob.slice(prefix.length) : knob;
}

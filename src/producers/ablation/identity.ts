// The identity of an ablation follows from what is asked, so that the same question about the same history is the same
// ablation: gone on with where it was stopped, and told from its record where it is over.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { ModelEntry } from '../../lab/models/entries.ts';
import { runIdFrom } from '../../ledger/identity/ids.ts';
import type { Design, Replayed } from './design.ts';

/** `entries`: what the models that are named mean here. How much is done at a time, and what it may cost, change nothing. */
export function identityOf(design: Omit<Design, 'ablation'>, entries: ReadonlyMap<string, ModelEntry>): string {
  const { name, depth, histories, units, arms, declared, level, margin, preset, budget } = design;
  const asked = {
    ...{ name, depth, declared, level, margin, preset, budget },
    histories: histories.map((one) => ({
      ...{ run: one.run, stages: one.stages, ...vouchedFor(one, depth) },
      policy: modelOf(entries.get(one.settings.policy)),
    })),
    units: units.map(({ history, seed }) => ({ history, seed })),
    arms: arms.map(({ arm, engineer, form, without }) => ({
      ...{ arm, engineer, form, without },
      model: typeof engineer === 'string' ? modelOf(entries.get(engineer)) : null,
    })),
  };
  return runIdFrom([canonicalJson(asked)]);
}

function modelOf(entry: ModelEntry | undefined): object | null {
  if (entry === undefined) return null;
  const { url, model, parameters } = entry;
  return { url, model, parameters: { ...parameters } };
}

/** The last event of the run's own stream that is replayed: it vouches for all before it. */
export function vouchedFor(
  { history, stages }: Replayed,
  depth: Design['depth'],
): { revision: number; digest: string } {
  const { started, initial, completed } = history;
  const shared = history.shares[0]?.stage ?? 0;
  const last = depth === 'run' ? Number.POSITIVE_INFINITY : Math.max(...stages);
  const own = history.stages.filter(({ stage }) => stage > shared && stage <= last);
  // What is decided after the last stage that a fork shares is its own.
  const after = history.stages.filter(({ stage }) => stage >= shared && stage <= last);
  const decided = [...own.map(({ completed: over }) => over), ...after.map(({ adopted }) => adopted)];
  const events = [started, ...(shared > 0 ? [] : [initial]), ...decided, depth === 'run' ? completed : null];
  const { revision, digest } = events.reduce(
    (one, other) => (other !== null && other.revision > one.revision ? other : one),
    { revision: -1, digest: '' },
  );
  return { revision, digest };
}

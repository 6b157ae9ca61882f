// Recomputes the figures of a training from its rollouts with its trainer: curve, learning signal, sampled tasks and
// spending.
import type { EventData } from '../../../schemas/catalogue.ts';
import { external } from '../../../schemas/run-file.ts';
import type { Registry, TrainerAudit, TrainingFigures } from '../../lab/registry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { Account } from './account.ts';
import { differenceInCommon, faultOfCited, rolloutsIn, type SealedPart, spansOf } from './evaluations.ts';

type Training = EventData['TrainingRecorded'];
type Rollout = EventData['RolloutRecorded'];

/** The trainers that can recompute their records, by name. */
export type Audits = ReadonlyMap<string, TrainerAudit>;

export async function auditsOf({ trainers }: Registry): Promise<Audits> {
  const found = new Map<string, TrainerAudit>();
  for (const { name, audit } of trainers.values()) if (audit !== undefined) found.set(name, await audit());
  return found;
}

export interface TrainingCheck {
  readonly audits: Audits;
  readonly event: StoredEvent;
  readonly data: Training;
  /** The whole configuration it trained on. */
  readonly configuration: unknown;
  /** The sealed evidence of the stage's training. */
  readonly sealed: SealedPart;
  readonly ledger: Ledger;
  readonly account: Account;
  readonly signal: AbortSignal;
}

function trainedBy({ trainer }: Training): string {
  if (trainer?.name === external) return 'a training outside of icecore';
  return `the trainer ${trainer?.name ?? 'unknown'}`;
}

export async function recomputeTraining(of: TrainingCheck): Promise<void> {
  const { event, data, account } = of;
  const spans = spansOf(event);
  const audit = of.audits.get(data.trainer?.name ?? '');
  if (audit === undefined) {
    if (hasFigures(data))
      account.unsupported(event, `has figures that ${trainedBy(data)} reported, which cannot be recomputed`);
    return;
  }
  if (spans.length === 0) {
    account.unsupported(event, 'cites no rollouts, so its figures have no evidence');
    return;
  }
  const cited = faultOfCited(spans, of.sealed);
  if (cited === 'open') {
    account.unsupported(event, 'is based on rollouts that are not sealed yet, and so not judged again');
    return;
  }
  if (cited !== null) {
    account.fault(event, 'recomputed-training', cited);
    return;
  }
  const { curve = [], learningSignal = [], sampled = [], spent = {} } = data;
  const { differing, again } = await computed(of, audit);
  account.rests(
    event,
    'trainings',
    spans.map(({ stream }) => stream),
  );
  if (differing !== null) account.fault(event, 'recomputed-training', differing);
  const recorded = { spent, curve, learningSignal, sampled, results: data.results };
  account.hold(event, 'recomputed-training', recorded, likeRecorded(again, recorded));
}

function hasFigures({ curve = [], learningSignal = [], sampled = [], results = {} }: Training): boolean {
  return curve.length > 0 || learningSignal.length > 0 || sampled.length > 0 || Object.keys(results).length > 0;
}

interface Computed {
  readonly again: TrainingFigures;
  /** How a rollout contradicts the training. */
  readonly differing: string | null;
}

async function computed(of: TrainingCheck, audit: TrainerAudit): Promise<Computed> {
  const { configuration, data } = of;
  let differing: string | null = null;
  const common = { split: 'train', policy: data.policy?.name, seed: data.seed };
  async function* rollouts(): AsyncGenerator<Rollout, void, undefined> {
    let update = 0;
    for await (const rollout of rolloutsIn(of, spansOf(of.event))) {
      differing ??= differenceInCommon(rollout, common);
      const { trainingStep: step = 0 } = rollout;
      if (step > update + 1) {
        // Every update has rollouts. Otherwise a forged number could demand any number of updates to be computed.
        differing ??= `cites a rollout of update ${step} after one of update ${update}`;
        return;
      }
      update = Math.max(update, step);
      yield rollout;
    }
  }
  const again = await audit.figures({ configuration, budget: data.budget ?? {}, rollouts: rollouts() });
  return { again, differing };
}

/** Entropies were summed before they were written, so the last digits differ; the divergence is not recomputed. */
function likeRecorded(again: TrainingFigures, recorded: Partial<Training>): object {
  const curve = again.curve.map((point, i) => {
    const { values } = recorded.curve?.[i] ?? { values: {} };
    return { ...point, values: { ...point.values, ...taken(values, point.values) } };
  });
  const learningSignal = again.signal.map((one, i) => ({
    ...one,
    ...taken({ ...recorded.learningSignal?.[i] }, { ...one }),
  }));
  return { spent: again.spent, curve, learningSignal, sampled: again.sampled };
}

const nearly = 1e-9;

function taken(recorded: Readonly<Record<string, unknown>>, again: Readonly<Record<string, unknown>>): object {
  const { entropy, kl } = recorded;
  const computed = again['entropy'];
  const isNear =
    typeof entropy === 'number' &&
    typeof computed === 'number' &&
    Math.abs(entropy - computed) <= nearly * (1 + computed);
  return { ...(isNear ? { entropy } : {}), ...(kl === undefined ? {} : { kl }) };
}

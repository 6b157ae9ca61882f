// The figures of a training, added up again from its rollouts: curve, learning signal, what was sampled and spent. What the
// embedded trainer knew of its gradient beside the rollouts, the divergence from where it began, follows from no rollout.

import type { EventData } from '../../../schemas/catalogue.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { grpoComponent } from '../../lab/trainers/grpo/batches.ts';
import { type LearntFigures, TrainingRecord } from '../../lab/trainers/grpo/progress.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { Account } from './account.ts';
import { differenceInCommon, faultOfCited, rolloutsIn, type SealedPart, spansOf } from './evaluations.ts';

type Training = EventData['TrainingRecorded'];
type Rollout = EventData['RolloutRecorded'];

export interface TrainingAgain {
  readonly event: StoredEvent;
  readonly data: Training;
  /** What it trained on, as a whole. */
  readonly configuration: unknown;
  /** What is sealed of the training of the stage. */
  readonly sealed: SealedPart;
  readonly ledger: Ledger;
  readonly account: Account;
  readonly signal: AbortSignal;
}

export async function recomputeTraining(of: TrainingAgain): Promise<void> {
  const { event, data, account } = of;
  const spans = spansOf(event);
  if (data.trainer?.name !== grpoComponent) {
    if (hasFigures(data))
      account.unsupported(event, `has the figures that trainer ${data.trainer?.name ?? 'unknown'} gave of itself`);
    return;
  }
  if (spans.length === 0) {
    account.unsupported(event, 'names no rollouts, so that nothing vouches for its figures');
    return;
  }
  const cited = faultOfCited(spans, of.sealed);
  if (cited === 'open') {
    account.unsupported(event, 'rests on rollouts that are not sealed yet, and so not judged again');
    return;
  }
  if (cited !== null) {
    account.fault(event, 'recomputed-training', cited);
    return;
  }
  const { curve = [], learningSignal = [], sampled = [], spent = {} } = data;
  const { differing, ...again } = await addedUp(of, familiesOf(of.configuration));
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

function familiesOf(configuration: unknown): readonly string[] {
  const sizes = isObject(configuration) ? configuration['sizes'] : undefined;
  return isObject(sizes) ? Object.keys(sizes) : [];
}

interface Figures {
  readonly spent: Readonly<Record<string, number>>;
  readonly curve: NonNullable<Training['curve']>;
  readonly signal: NonNullable<Training['learningSignal']>;
  readonly sampled: NonNullable<Training['sampled']>;
}

interface AddedUp extends Figures {
  /** What a rollout says otherwise than the training. */
  readonly differing: string | null;
}

async function addedUp(of: TrainingAgain, families: readonly string[]): Promise<AddedUp> {
  const budget = of.data.budget?.['agent-steps'] ?? 0;
  const course = new TrainingRecord(families, budget);
  let taken: Lesson[] = [];
  let update = 0;
  let agentSteps = 0;
  let differing: string | null = null;
  const common = { split: 'train', policy: of.data.policy?.name, seed: of.data.seed };
  const close = (): void => {
    agentSteps += taken.reduce((sum, one) => sum + one.agentSteps, 0);
    course.add(taken, update, agentSteps, agentSteps >= budget);
    taken = [];
  };
  for await (const rollout of rolloutsIn(of, spansOf(of.event))) {
    differing ??= differenceInCommon(rollout, common);
    const { trainingStep: step = 0 } = rollout;
    if (step > update + 1) {
      // Every update has rollouts. A forged number would otherwise have as many updates added up as it says.
      differing ??= `cites a rollout of update ${step} after one of update ${update}`;
      break;
    }
    if (step > update) {
      if (update > 0) close();
      update = step;
    }
    const last = taken.at(-1);
    if (last !== undefined && last.task === rollout.task?.id && (rollout.sample ?? 0) > 0) last.add(rollout);
    else taken.push(new Lesson(rollout));
  }
  if (update > 0) close();
  return { spent: { 'agent-steps': agentSteps, updates: update }, ...course.figures(), differing };
}

/** The sample group of one task. */
class Lesson implements LearntFigures {
  readonly family: string;
  readonly task: string | undefined;
  readonly rewards: number[] = [];
  valid = 0;
  agentSteps = 0;
  entropy = 0;
  /** Of no rollout. */
  readonly kl = 0;

  constructor(rollout: Rollout) {
    this.family = rollout.family ?? '';
    this.task = rollout.task?.id;
    this.add(rollout);
  }

  add({ reward, agentSteps = 0, metrics = {} }: Rollout): void {
    const earned = typeof reward === 'number' ? reward : 0;
    const entropy = metrics['entropy'];
    this.rewards.push(earned);
    this.valid += Number(earned > 0);
    this.agentSteps += agentSteps;
    this.entropy += (typeof entropy === 'number' ? entropy : 0) * agentSteps;
  }
}

/** Entropies were added up before they were written, which differs in the last digits; the divergence is taken as it is. */
function likeRecorded(again: Figures, recorded: Partial<Training>): object {
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

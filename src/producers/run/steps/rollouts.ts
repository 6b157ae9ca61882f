// The rollouts of a stage or of one shard: the policy tries tasks of the probe pool and a sample of its training tasks,
// and every try is an event. A rollout's id follows from its place in the stage and from the attempt, so it does not
// depend on the number of shards.
import type { Task } from '../../../lab/environments/environment.ts';
import { judged } from '../../../lab/evaluation/judged.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
import type { SealedAttempt } from '../../../ledger/seal/attempt.ts';
import type { Recorder } from '../../evidence/attempt.ts';
import { rolloutActor } from '../../evidence/parts.ts';
import { RolloutEvents } from '../../evidence/rollout-events.ts';
import { probePool, seedOf, triedTasks } from '../pools.ts';
import { isReported, type Lab, required, type StepInput, stageIn } from '../session.ts';
import { PortionedPool, portionOf } from '../shards/portion.ts';

/** The input for running the policy. */
export type Playing = Pick<StepInput, 'run' | 'settings' | 'history' | 'ledger' | 'check' | 'signal' | 'tell'> & {
  readonly lab: Pick<Lab, 'environment'>;
};

export interface Part {
  readonly stage: number;
  readonly shard: number;
  readonly shards: number;
  readonly recorder: Recorder;
}

/** The tasks of a stage, shared by the shards of this process. */
export interface StageTasks {
  readonly probe: PortionedPool;
  readonly trained: PortionedPool;
}

export async function withTasks<Result>(
  { settings, history, lab, signal }: Playing,
  stage: number,
  body: (tasks: StageTasks) => Promise<Result>,
): Promise<Result> {
  const { whole } = required(stageIn(history, stage).started.data.configuration, 'a configuration');
  const { environment } = lab;
  const probe = new PortionedPool(() => probePool(environment, 'probe', settings, signal));
  const trained = new PortionedPool(() => triedTasks(environment, settings, { stage, configuration: whole }, signal));
  try {
    return await body({ probe, trained });
  } finally {
    await Promise.all([probe.close(), trained.close()]);
  }
}

/** The attempts with its rollouts, in order. */
export async function played(
  at: Playing,
  part: Part,
  policy: Policy,
  tasks: StageTasks,
): Promise<readonly SealedAttempt[]> {
  const { shard, shards, recorder } = part;
  const { samples, trained } = at.settings;
  // A single shard does not need the number of probes in advance.
  const probes = shards === 1 ? Number.POSITIVE_INFINITY : await tasks.probe.count();
  const probed = shards === 1 ? { from: 0, to: probes } : portionOf(probes, shard, shards);
  const next = await record(at, part, policy, {
    split: 'probe',
    samples,
    tasks: tasks.probe.portion(probed),
    begin: recorder.idsBegin + probed.from * samples,
  });
  const rest = portionOf(trained, shard, shards);
  await record(at, part, policy, {
    split: 'train',
    samples: 1,
    tasks: tasks.trained.portion(rest),
    begin: (shards === 1 ? next : recorder.idsBegin + probes * samples) + rest.from,
  });
  return await recorder.seal();
}

interface Tried {
  readonly split: 'probe' | 'train';
  readonly samples: number;
  readonly tasks: AsyncGenerator<Task, unknown, undefined>;
  /** The first id of these rollouts. */
  readonly begin: number;
}

/** Returns the first id after these rollouts. */
async function record(
  { run, settings, lab, signal, tell }: Playing,
  { stage, shard, shards, recorder }: Part,
  policy: Policy,
  { split, samples, tasks, begin }: Tried,
): Promise<number> {
  const provenance = {
    run,
    stage,
    environment: lab.environment.descriptor.environment,
    split,
    policy,
    actor: rolloutActor,
    now: () => new Date().toISOString(),
  };
  const events = new RolloutEvents(provenance, begin);
  const plans = policy.plan({ tasks, samples, seed: seedOf(settings.seed, split, stage), signal });
  const evidence = `evidence on ${split === 'train' ? 'training' : split} tasks`;
  const of = shards === 1 ? evidence : `${evidence}, shard ${shard}`;
  let done = 0;
  for await (const _ of recorder.record(judged(lab.environment, plans, signal), events, signal)) {
    if (isReported(done)) await tell({ kind: 'rollouts', stage, of, done });
    done += 1;
  }
  return events.next;
}

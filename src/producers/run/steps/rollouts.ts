// The rollouts of a stage, or those of one shard of it: the policy tries tasks of the probe pool and some of what it was
// trained on, and every try is an event. A rollout has the same id into however many shards its stage is split: it follows
// from its place among all of them, and from the attempt.
import type { Task } from '../../../lab/environments/environment.ts';
import { judged } from '../../../lab/evaluation/judged.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
import type { SealedAttempt } from '../../../ledger/seal/attempt.ts';
import type { Recorder } from '../../evidence/attempt.ts';
import { rolloutActor } from '../../evidence/parts.ts';
import { RolloutEvents } from '../../evidence/rollout-events.ts';
import { probePool, seedOf } from '../pools.ts';
import { type At, known, type Lab, stageIn } from '../session.ts';
import { PortionedPool, portionOf } from '../shards/portion.ts';

const reportEvery = 64;

/** Whoever lets the policy play. */
export type Playing = Pick<At, 'run' | 'settings' | 'history' | 'ledger' | 'check' | 'signal' | 'tell'> & {
  readonly lab: Pick<Lab, 'environment'>;
};

export interface Part {
  readonly stage: number;
  readonly shard: number;
  readonly shards: number;
  readonly recorder: Recorder;
}

/** The tasks of a stage, for as long as shards of it are done here. */
export interface StageTasks {
  readonly probe: PortionedPool;
  readonly trained: PortionedPool;
}

export async function withTasks<Result>(
  at: Playing,
  stage: number,
  body: (tasks: StageTasks) => Promise<Result>,
): Promise<Result> {
  const tasks = tasksOf(at, stage);
  try {
    return await body(tasks);
  } finally {
    await Promise.all([tasks.probe.close(), tasks.trained.close()]);
  }
}

function tasksOf({ settings, history, lab, signal }: Playing, stage: number): StageTasks {
  const { whole } = known(stageIn(history, stage).started.data.configuration, 'a configuration');
  const { environment } = lab;
  const seed = seedOf(settings.seed, 'evidence', stage);
  const trained = { configuration: whole, split: 'train', count: settings.trained, seed, signal } as const;
  return {
    probe: new PortionedPool(() => probePool(environment, 'probe', settings, signal)),
    trained: new PortionedPool(() => environment.generate(trained)),
  };
}

/** The attempts that hold its rollouts, in their order. */
export async function played(
  at: Playing,
  part: Part,
  policy: Policy,
  tasks: StageTasks,
): Promise<readonly SealedAttempt[]> {
  const begin = part.recorder.idsBegin;
  const next = await tryProbes(at, { ...part, policy, begin }, tasks.probe);
  await tryTrained(at, { ...part, policy, begin: next }, tasks.trained);
  return await part.recorder.seal();
}

interface Recording extends Part {
  readonly policy: Policy;
  /** Where the ids of the whole stage's rollouts of this kind begin. */
  readonly begin: number;
}

/** Where the ids of what comes after all probes of the stage begin. In one piece, nobody has to count them before. */
async function tryProbes(at: Playing, { begin, ...recording }: Recording, pool: PortionedPool): Promise<number> {
  const { shard, shards } = recording;
  const { samples } = at.settings;
  const count = shards === 1 ? Number.POSITIVE_INFINITY : await pool.count();
  const portion = shards === 1 ? { from: 0, to: count } : portionOf(count, shard, shards);
  const tried = {
    split: 'probe',
    samples,
    tasks: pool.portion(portion),
    begin: begin + portion.from * samples,
  } as const;
  const next = await record(at, { ...recording, ...tried });
  return shards === 1 ? next : begin + count * samples;
}

async function tryTrained(at: Playing, { begin, ...recording }: Recording, pool: PortionedPool): Promise<void> {
  const { trained } = at.settings;
  const portion = portionOf(trained, recording.shard, recording.shards);
  const tasks = pool.portion(portion);
  await record(at, { ...recording, split: 'train', samples: 1, tasks, begin: begin + portion.from });
}

interface Tried extends Recording {
  readonly split: 'probe' | 'train';
  readonly samples: number;
  readonly tasks: AsyncGenerator<Task, unknown, undefined>;
}

/** Where the ids of what comes next begin. */
async function record(at: Playing, tried: Tried): Promise<number> {
  const { run, settings, lab, signal, tell } = at;
  const { stage, shard, shards, recorder, policy, split, samples, tasks, begin } = tried;
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
  const of = shards === 1 ? `${split} evidence` : `${split} evidence of shard ${shard}`;
  let done = 0;
  for await (const _ of recorder.record(judged(lab.environment, plans, signal), events, signal)) {
    if (done % reportEvery === 0) await tell({ kind: 'rollouts', stage, of, done });
    done += 1;
  }
  return events.next;
}

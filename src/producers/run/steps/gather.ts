// Gathers the evidence of a stage: the policy tries the probe pool and some of what it was trained on, every try is an
// event, and a seal vouches for all of them. Whoever was stopped in the middle makes the same events again, of which those
// that are there are not stored twice; where they cannot be the same, another attempt is made, and that one counts.

import { streamOf } from '../../../../schemas/streams.ts';
import type { Tasks } from '../../../lab/environments/environment.ts';
import { judged } from '../../../lab/evaluation/judged.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
import { DuplicateId } from '../../../ledger/errors.ts';
import type { SealedAttempt } from '../../../ledger/seal/attempt.ts';
import { Attempt } from '../../evidence/attempt.ts';
import { RolloutEvents } from '../../evidence/rollout-events.ts';
import { type At, known, stageIn } from '../at.ts';
import { probePool } from '../pools.ts';
import { seedOf } from '../seeds.ts';
import type { Decision } from '../writing.ts';
import { runActor } from './start.ts';
import { withPolicy } from './with-policy.ts';

/** One process gathers all evidence of a stage. */
const shard = 0;
/** Ids of one attempt are apart from those of another. */
const idsOfAnAttempt = 2 ** 30;
const mostAttempts = 2 ** 10;
const toldEvery = 64;

export async function gather(at: At, stage: number): Promise<Decision> {
  const training = known(stageIn(at.history, stage).training, 'training');
  const sealed = await withPolicy(at, stage, async (policy) => await attempted(at, stage, policy));
  return {
    type: 'EvidenceSealed',
    stage,
    index: 0,
    actor: runActor,
    causes: [{ event: training.id }],
    data: { attempts: [sealed] },
  };
}

async function attempted(at: At, stage: number, policy: Policy): Promise<SealedAttempt> {
  for (let attempt = await lastAttempt(at, stage); ; attempt++) {
    try {
      return await gathered(at, stage, attempt, policy);
    } catch (fault) {
      if (!(fault instanceof DuplicateId) || attempt + 1 >= mostAttempts) throw fault;
    }
  }
}

/** Of those before it nothing can be gone on with. */
async function lastAttempt({ ledger, run }: At, stage: number): Promise<number> {
  let last = 0;
  for await (const ends of ledger.streams(`evidence-${run}-${stage}-${shard}-`)) {
    for (const { stream } of ends) {
      const attempt = Number(stream.slice(stream.lastIndexOf('-') + 1));
      if (stream === streamOf.evidence(run, stage, shard, attempt)) last = Math.max(last, attempt);
    }
  }
  return last;
}

async function gathered(at: At, stage: number, attempt: number, policy: Policy): Promise<SealedAttempt> {
  const { run, settings, ledger, lab, signal, check } = at;
  const { whole } = known(stageIn(at.history, stage).started.data.configuration, 'a configuration');
  const evidence = new Attempt(ledger, { run, stage, shard, attempt }, check);
  const seed = seedOf(settings.seed, 'evidence', stage);
  const probe = { split: 'probe', tasks: probePool(lab.environment, 'probe', settings, signal) } as const;
  const next = await record(at, { stage, evidence, policy, ...probe, begin: attempt * idsOfAnAttempt });
  const tasks = lab.environment.generate({
    configuration: whole,
    split: 'train',
    count: settings.trained,
    seed,
    signal,
  });
  if (settings.trained > 0) await record(at, { stage, evidence, policy, split: 'train', tasks, begin: next });
  return await evidence.seal();
}

interface Part {
  readonly stage: number;
  readonly evidence: Attempt;
  readonly policy: Policy;
  readonly split: 'probe' | 'train';
  readonly tasks: Tasks;
  readonly begin: number;
}

/** Where the next part's ids begin. */
async function record(at: At, { stage, evidence, policy, split, tasks, begin }: Part): Promise<number> {
  const { run, settings, lab, signal, tell } = at;
  const { descriptor } = lab.environment;
  const now = (): string => new Date().toISOString();
  const provenance = {
    run,
    stage,
    environment: descriptor.environment,
    split,
    policy,
    actor: 'producer/rollouts',
    now,
  };
  const events = new RolloutEvents(provenance, begin);
  const samples = split === 'probe' ? settings.samples : 1;
  const plans = policy.plan({ tasks, samples, seed: seedOf(settings.seed, split, stage), signal });
  let done = 0;
  for await (const _ of evidence.record(judged(lab.environment, plans, signal), events, signal)) {
    if (done % toldEvery === 0) await tell({ kind: 'rollouts', stage, of: `${split} evidence`, done });
    done += 1;
  }
  return events.next;
}

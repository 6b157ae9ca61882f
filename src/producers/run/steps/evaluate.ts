// Evaluates the policy of a stage and records the rollouts behind the results. Results on benchmarks and on the hidden
// probes are in no context.

import { join } from 'node:path';
import type { Cause } from '../../../../schemas/envelope.ts';
import { legacyRecording, type RunSettings } from '../../../../schemas/run-file.ts';
import { type Evaluation, evaluate as evaluated, type Subject } from '../../../lab/evaluation/evaluate.ts';
import type { Evaluated } from '../../../lab/evaluation/judged.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
import { recorded } from '../../evidence/attempt.ts';
import { ownerOf, partNamed, rolloutActor } from '../../evidence/parts.ts';
import { type Provenance, RolloutEvents } from '../../evidence/rollout-events.ts';
import type { Decision } from '../journal.ts';
import { checkpointForPolicy } from '../learner.ts';
import { poolSeed, probePool, seedOf, validationPool } from '../pools.ts';
import { isReported, type Lab, required, type StepInput, stageIn } from '../session.ts';

export function recordingOf({ record = legacyRecording }: Pick<RunSettings, 'record'>): {
  readonly training: boolean;
  readonly evaluations: boolean;
} {
  return { training: record === 'all', evaluations: record !== 'sample' };
}

type Opening = Pick<StepInput, 'history' | 'folder' | 'blobs'> & { readonly lab: Pick<Lab, 'learner'> };

export async function withPolicy<Result>(
  { history, lab, folder, blobs }: Opening,
  stage: number,
  body: (policy: Policy) => Promise<Result>,
): Promise<Result> {
  const training = required(stageIn(history, stage).training, 'training');
  const recorded = training.data.checkpoint ?? null;
  const policy = await lab.learner.policyOf(
    await checkpointForPolicy(recorded, lab.learner, { folder: join(folder, 'checkpoints'), blobs }),
  );
  try {
    // Events name the checkpoint as recorded, not by its local path.
    return await body(recorded === null ? policy : named(policy, recorded));
  } finally {
    await policy.close();
  }
}

function named(policy: Policy, checkpoint: NonNullable<Policy['checkpoint']>): Policy {
  const { component, canBeGreedy = true } = policy;
  return {
    component,
    checkpoint,
    canBeGreedy,
    plan: (request) => policy.plan(request),
    close: () => policy.close(),
  };
}

export const validation = 'validation';
export const probeHoldout = 'probe-holdout';

export async function evaluate(at: StepInput, stage: number, name: string): Promise<Decision> {
  const history = stageIn(at.history, stage);
  const training = required(history.training, 'training');
  const { data, rollouts } = await withPolicy(at, stage, async (policy) => await measured(at, stage, name, policy));
  return {
    type: 'EvaluationRecorded',
    stage,
    index: history.evaluations.length,
    actor: 'producer/evaluation',
    causes: [{ event: training.id }, ...rollouts],
    data,
  };
}

interface Measured {
  readonly data: Evaluation;
  /** Where they are recorded. */
  readonly rollouts: readonly Cause[];
}

async function measured(at: StepInput, stage: number, name: string, policy: Policy): Promise<Measured> {
  const { settings, signal, evidence: owner = ownerOf(at.run) } = at;
  if (!recordingOf(settings).evaluations) {
    const playing = played(at, stage, name, policy);
    for await (const _ of playing.rollouts);
    return { data: playing.data(), rollouts: [] };
  }
  const { run } = owner;
  const part = owner.partOf(partNamed(name));
  return await recorded(at, { run, stage, part }, async (recorder) => {
    const playing = played(at, stage, name, policy);
    const events = new RolloutEvents(provenanceOf(at, { run, stage, part }, name, policy), recorder.idsBegin);
    for await (const _ of recorder.record(playing.rollouts, events, signal));
    const attempts = (await recorder.seal()).filter(({ count }) => count > 0);
    const rollouts = attempts.map(({ stream, count, root }) => ({ stream, from: 0, to: count - 1, root }));
    return { data: playing.data(), rollouts };
  });
}

/** One evaluation: its rollouts one by one, and its results after the last one. */
function played(
  at: StepInput,
  stage: number,
  name: string,
  policy: Policy,
): { readonly rollouts: AsyncGenerator<Evaluated, void, undefined>; readonly data: () => Evaluation } {
  const { settings, lab, signal, tell } = at;
  let data: Evaluation | null = null;
  async function* rollouts(): AsyncGenerator<Evaluated, void, undefined> {
    // Predictions are about sampled rollouts, not greedy ones.
    const isPlayed = name === probeHoldout;
    const all = evaluated(lab.environment, policy, {
      ...subjectOf(at, name),
      samples: isPlayed ? settings.samples : 1,
      greedy: !isPlayed,
      seed: seedOf(settings.seed, `evaluate ${name}`, stage),
      signal,
    });
    for (let done = 0; ; done++) {
      const next = await all.next();
      if (next.done === true) {
        data = next.value;
        return;
      }
      yield next.value;
      if (isReported(done)) await tell({ kind: 'rollouts', stage, of: name, done });
    }
  }
  return { rollouts: rollouts(), data: () => required(data, 'the evaluation') };
}

function provenanceOf(
  { lab }: StepInput,
  place: Pick<Provenance, 'run' | 'stage' | 'part'>,
  name: string,
  policy: Policy,
): Provenance {
  return {
    ...place,
    environment: lab.environment.descriptor.environment,
    split: name === validation ? validation : name === probeHoldout ? probeHoldout : 'test',
    policy,
    actor: rolloutActor,
    now: () => new Date().toISOString(),
  };
}

function subjectOf({ settings, lab, signal }: StepInput, name: string): Subject {
  const { environment } = lab;
  if (name === validation) {
    const tasks = validationPool(environment, settings, signal);
    return { tasks: { name, split: validation, tasks, parameters: { count: settings.validation, seed: poolSeed } } };
  }
  if (name === probeHoldout) {
    const tasks = probePool(environment, probeHoldout, settings, signal);
    return { tasks: { name, split: probeHoldout, tasks, parameters: { perCell: settings.perCell, seed: poolSeed } } };
  }
  return { suites: [name] };
}

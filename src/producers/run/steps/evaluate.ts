// Measures the policy: on validation, which engineers may be shown; on the hidden part of the probe pool, against which
// their predictions are held; and on benchmarks. None of the last two is in any context; a person who decides sees them
// before the end of the run only by asking for them.
import { type Evaluation, evaluate as evaluated } from '../../../lab/evaluation/evaluate.ts';
import type { Subject } from '../../../lab/evaluation/subject.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
import { type At, known, stageIn } from '../at.ts';
import { probePool, validationPool } from '../pools.ts';
import { poolSeed, seedOf } from '../seeds.ts';
import type { Decision } from '../writing.ts';
import { withPolicy } from './with-policy.ts';

export const validation = 'validation';
export const heldBack = 'held-back';

const toldEvery = 64;

export async function evaluate(at: At, stage: number, name: string): Promise<Decision> {
  const history = stageIn(at.history, stage);
  const training = known(history.training, 'training');
  const data = await withPolicy(at, stage, async (policy) => await measured(at, stage, name, policy));
  return {
    type: 'EvaluationRecorded',
    stage,
    index: history.evaluations.length,
    actor: 'producer/evaluation',
    causes: [{ event: training.id }],
    data,
  };
}

async function measured(at: At, stage: number, name: string, policy: Policy): Promise<Evaluation> {
  const { settings, lab, signal, tell } = at;
  // What is predicted is how often the policy succeeds as it plays, not how often its best guess does.
  const isPlayed = name === heldBack;
  const rollouts = evaluated(lab.environment, policy, {
    ...subjectOf(at, name),
    samples: isPlayed ? settings.samples : 1,
    greedy: !isPlayed,
    seed: seedOf(settings.seed, `evaluate ${name}`, stage),
    signal,
  });
  for (let done = 0; ; done++) {
    const next = await rollouts.next();
    if (next.done === true) return next.value;
    if (done % toldEvery === 0) await tell({ kind: 'rollouts', stage, of: name, done });
  }
}

function subjectOf({ settings, lab, signal }: At, name: string): Subject {
  const { environment } = lab;
  if (name === validation) {
    const tasks = validationPool(environment, settings, signal);
    return { tasks: { name, split: validation, tasks, parameters: { count: settings.validation, seed: poolSeed } } };
  }
  if (name === heldBack) {
    const tasks = probePool(environment, heldBack, settings, signal);
    return { tasks: { name, split: heldBack, tasks, parameters: { perCell: settings.perCell, seed: poolSeed } } };
  }
  return { suites: [name] };
}

// The figures of an evaluation, added up again from the rollouts that it names among its causes. Whether these are what their
// environment says of them is found where the seal of their stage is looked at.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import type { Task } from '../../lab/environments/task.ts';
import type { Judged, Verdict } from '../../lab/environments/verdict.ts';
import { RunningDigest } from '../../lab/evaluation/running-digest.ts';
import { Tally } from '../../lab/evaluation/tally.ts';
import type { Planned } from '../../lab/policies/policy.ts';
import { confidence } from '../../lab/statistics/wilson.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { Account } from './account.ts';
import { rolloutsIn, spansOf } from './spans.ts';

export interface EvaluationAgain {
  readonly event: StoredEvent;
  readonly data: Evaluation;
  readonly ledger: Ledger;
  readonly descriptor: Descriptor;
  readonly account: Account;
  readonly signal: AbortSignal;
}

type Evaluation = EventData['EvaluationRecorded'];
type Rollout = EventData['RolloutRecorded'];

export async function recomputeEvaluation(of: EvaluationAgain): Promise<void> {
  const { event, data, descriptor, account } = of;
  const spans = spansOf(event);
  if (spans.length === 0 && data.rollouts > 0) {
    const says = `of ${data.suite.name}: its rollouts are not recorded, so that nothing vouches for its figures`;
    account.unsupported(event, says);
    return;
  }
  const tally = new Tally(descriptor);
  const tasks = new Tasks();
  let samples = 0;
  for await (const rollout of rolloutsIn(of, spans)) {
    const task = tasks.of(rollout);
    samples = Math.max(samples, (rollout.sample ?? 0) + 1);
    tally.add(task, rollout.instance?.conditions ?? {}, plannedOf(task, rollout), verdictOf(rollout));
  }
  account.again('evaluations');
  const { suite, rollouts, results, cells, failures, interval } = data;
  const { digest, instances } = suite;
  const recorded = {
    suite: { digest, instances },
    samples: data.samples,
    rollouts,
    results,
    cells,
    failures,
    interval,
  };
  const { cells: again, ...added } = tally.told();
  account.hold(event, 'recomputed-evaluation', recorded, {
    suite: { digest: tasks.digest, instances: tasks.count },
    samples,
    ...added,
    cells: again,
    interval: { method: 'wilson', level: confidence },
  });
}

/** Tasks as they come: all rollouts of one come in a row. */
class Tasks {
  readonly #digest = new RunningDigest();
  #last: Task | null = null;
  count = 0;

  get digest(): string {
    return this.#digest.digest();
  }

  of({ instance, group = '', sample = 0 }: Rollout): Task {
    const { id = '', digest = '', facts = {} } = instance ?? {};
    if (this.#last !== null && sample > 0 && this.#last.id === id && this.#last.digest === digest) return this.#last;
    this.#last = { id, group, digest, facts, instance: {} };
    this.#digest.add(this.#last);
    this.count += 1;
    return this.#last;
  }
}

/** As far as it counts: what was spent on a model that said it. */
function plannedOf(task: Task, { sample = 0, modelAnswer, tokens = {}, cost }: Rollout): Planned {
  const planned = { task, sample, answer: null };
  if (modelAnswer === undefined) return planned;
  return {
    ...planned,
    spoken: { usage: tokens, ...(cost === undefined ? {} : { cost }) } as NonNullable<Planned['spoken']>,
  };
}

function verdictOf({ error, outcome, success = false, metrics = {}, failureClass, failures }: Rollout): Verdict {
  if (error !== undefined) return { spoilt: error };
  const named = failureClass === undefined ? [] : [{ class: failureClass }];
  return { outcome, success, metrics, failures: failures ?? named } as Judged;
}

// Recomputes evaluations from the rollouts that they cite, and checks that a result cites exactly its own rollouts.
import { setImmediate } from 'node:timers/promises';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { Judged, Task, Verdict } from '../../lab/environments/environment.ts';
import { RunningDigest } from '../../lab/evaluation/evaluate.ts';
import { Tally, type TaskOrder } from '../../lab/evaluation/tally.ts';
import type { Planned } from '../../lab/policies/policy.ts';
import { confidence } from '../../lab/statistics/distributions.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { Seal } from '../../ledger/verify/seals.ts';
import type { RolloutSpan } from '../history/run-history.ts';
import type { Account } from './account.ts';

export function spansOf({ envelope }: StoredEvent): readonly RolloutSpan[] {
  return envelope.causes.filter((cause) => 'stream' in cause);
}

/** Yields to the event loop between pages, so that it can be interrupted. */
export async function* rolloutsIn(
  { ledger, signal }: { readonly ledger: Ledger; readonly signal: AbortSignal },
  spans: readonly RolloutSpan[],
): AsyncGenerator<EventData['RolloutRecorded'], void, undefined> {
  for (const { stream, from, to } of spans) {
    let next = from;
    for await (const events of ledger.read(stream, { from, to })) {
      await setImmediate();
      signal.throwIfAborted();
      for (const { reading, revision } of events) {
        // A store may deliver an event again.
        if (revision < next) continue;
        next = revision + 1;
        if (reading.known && reading.type === 'RolloutRecorded') yield reading.data;
      }
    }
  }
}

type Rollout = EventData['RolloutRecorded'];

export interface SealedPart {
  /** The sealed attempts, by stream. */
  readonly seals: ReadonlyMap<string, Seal>;
  /** The run or ablation that owns the streams. */
  readonly run: string;
  readonly stage: number;
  /** Whether the figure belongs to this part. */
  readonly isPart: (part: string) => boolean;
  /** Whether the stage may still be sealed: then a missing seal is not a fault. */
  readonly isOpen: boolean;
}

/** The fault of the cited spans; `open` if they are not sealed yet. */
export function faultOfCited(spans: readonly RolloutSpan[], of: SealedPart): string | 'open' | null {
  const parts = new Set<string>();
  const cited = new Set<string>();
  for (const { stream, from, to } of spans) {
    const name = parseStream(stream);
    const isOwn =
      name?.category === 'evidence' && name.run === of.run && name.stage === of.stage && of.isPart(name.part);
    if (!isOwn) return `cites ${stream}, which is not its own`;
    parts.add(stream.slice(0, stream.lastIndexOf('-') + 1));
    if (parts.size > 1) return `cites ${stream} together with another part`;
    if (cited.has(stream)) return `cites ${stream} twice`;
    cited.add(stream);
    const count = of.seals.get(stream)?.count;
    if (count === undefined) return of.isOpen ? 'open' : `cites ${stream}, which no seal covers`;
    if (from !== 0 || to !== count - 1) {
      return `cites ${stream} from ${from} to ${to}; sealed is ${count === 0 ? 'nothing' : `0 to ${count - 1}`}`;
    }
  }
  const [part = ''] = parts;
  for (const [stream, { count }] of spans.length === 0 ? [] : of.seals) {
    if (count > 0 && stream.startsWith(part) && !cited.has(stream)) return `does not cite ${stream}, which is sealed`;
  }
  return null;
}

/** The properties that all rollouts of a figure share with it. */
interface InCommon {
  readonly split: string;
  readonly policy: string | undefined;
  /** Its digest or another identification; undefined if rollouts do not record it. */
  readonly checkpoint?: string | null;
  readonly seed?: unknown;
}

/** How a rollout contradicts the figure that cites it; null if it does not. */
export function differenceInCommon(rollout: Rollout, common: InCommon): string | null {
  const { split, policy, checkpoint, seed } = common;
  const pairs = [
    ['split', rollout.split, split],
    ['policy', rollout.policy, policy ?? rollout.policy],
    ['checkpoint', rollout.checkpoint ?? null, checkpoint === undefined ? (rollout.checkpoint ?? null) : checkpoint],
    ['seed', rollout.seed, rollout.seed === undefined ? undefined : (seed ?? rollout.seed)],
  ] as const;
  const differing = pairs.find(([, found, expected]) => found !== expected);
  if (differing === undefined) return null;
  const [field, found, expected] = differing;
  return `cites a rollout with ${field} ${found}; expected ${expected}`;
}

interface EvaluationCheck {
  readonly event: StoredEvent;
  readonly data: Evaluation;
  readonly ledger: Ledger;
  readonly descriptor: Descriptor;
  /** Evaluations of earlier stages. */
  readonly elsewhere: readonly EarlierEvaluation[];
  /** The sealed evidence of its part of the stage. */
  readonly sealed: SealedPart;
  readonly account: Account;
  readonly signal: AbortSignal;
}

type Evaluation = EventData['EvaluationRecorded'];

interface EarlierEvaluation extends Pick<Evaluation, 'suite'> {
  readonly stage: number;
}

export async function recomputeEvaluation(of: EvaluationCheck): Promise<void> {
  const { event, data, descriptor, account } = of;
  const spans = spansOf(event);
  if (spans.length === 0 && data.rollouts > 0) {
    const says = `of ${data.suite.name}: its rollouts are not recorded, so its figures have no evidence`;
    account.unsupported(event, says);
    return;
  }
  const cited = faultOfCited(spans, of.sealed);
  if (cited === 'open') {
    account.unsupported(event, `of ${data.suite.name}: its rollouts are not sealed yet, and so not judged again`);
    return;
  }
  if (cited !== null) {
    account.fault(event, 'recomputed-evaluation', cited);
    return;
  }
  const sums = new EvaluationSums(descriptor);
  const common = commonOf(data);
  let differing: string | null = null;
  for await (const rollout of rolloutsIn(of, spans)) {
    differing ??= differenceInCommon(rollout, common);
    sums.add(rollout);
  }
  account.rests(
    event,
    'evaluations',
    spans.map(({ stream }) => stream),
  );
  if (differing !== null) account.fault(event, 'recomputed-evaluation', differing);
  const { suite, rollouts, results, cells, failures, interval } = data;
  const { digest, tasks } = suite;
  const recorded = {
    suite: { digest, tasks },
    samples: data.samples,
    rollouts,
    results,
    cells,
    failures,
    interval,
  };
  const added = sums.result();
  const before = of.elsewhere.find((one) => one.suite.name === suite.name);
  if (before !== undefined && digest === added.suite.digest && digest !== before.suite.digest) {
    account.fault(event, 'recomputed-evaluation', otherSuite(suite, before));
  }
  if (added.rollouts !== added.suite.tasks * added.samples) {
    account.fault(event, 'recomputed-evaluation', `cites fewer than ${added.samples} rollouts of some task`);
  }
  account.hold(event, 'recomputed-evaluation', recorded, added);
}

/** Rates on different tasks would not be comparable. */
function otherSuite({ digest }: Evaluation['suite'], { stage, suite }: EarlierEvaluation): string {
  const then = `at stage ${stage} "${suite.digest}": a suite is the same tasks at every stage`;
  return `data.suite.digest: recorded "${digest}", ${then}`;
}

/** Computes an evaluation from its rollouts, one after the other. */
export class EvaluationSums {
  readonly #tally: Tally;
  readonly #tasks: Tasks;
  #samples = 0;

  constructor(descriptor: Descriptor, order: TaskOrder = 'adjacent') {
    this.#tally = new Tally(descriptor, order);
    this.#tasks = order === 'adjacent' ? new AdjacentTasks() : new ScatteredTasks();
  }

  add(rollout: Rollout): void {
    const { task, sample } = this.#tasks.of(rollout);
    this.#samples = Math.max(this.#samples, sample + 1);
    this.#tally.add(task, rollout.task?.conditions ?? {}, plannedOf(task, rollout), verdictOf(rollout));
  }

  result() {
    const { cells, ...added } = this.#tally.results();
    return {
      suite: { digest: this.#tasks.digest, tasks: this.#tasks.count },
      samples: this.#samples,
      ...added,
      ...(cells === undefined ? {} : { cells }),
      interval: { method: 'wilson' as const, level: confidence },
    };
  }
}

function commonOf({ split, policy, checkpoint }: Evaluation): InCommon {
  const known = checkpoint === undefined ? {} : { checkpoint: checkpoint?.digest ?? checkpoint?.reference ?? null };
  return { split, policy: policy?.name, ...known };
}

interface Tasks {
  readonly count: number;
  readonly digest: string;
  /** The task of a rollout, and which of its samples the rollout is, from 0. */
  of(rollout: Rollout): { readonly task: Task; readonly sample: number };
}

function taskIn({ task, family = '' }: Rollout): Task & { readonly digest: string } {
  const { id = '', digest = '', facts = {} } = task ?? {};
  return { id, family, digest, facts, instance: {} };
}

/** All rollouts of a task are adjacent. */
class AdjacentTasks implements Tasks {
  readonly #digest = new RunningDigest();
  #last: Task | null = null;
  count = 0;

  get digest(): string {
    return this.#digest.digest();
  }

  of(rollout: Rollout): { readonly task: Task; readonly sample: number } {
    const { sample = 0 } = rollout;
    const task = taskIn(rollout);
    if (this.#last !== null && sample > 0 && this.#last.id === task.id && this.#last.digest === task.digest)
      return { task: this.#last, sample };
    this.#last = task;
    this.#digest.add(task);
    this.count += 1;
    return { task, sample };
  }
}

/** Rollouts come in any order and without their sample; one without a task is of a task of its own. */
class ScatteredTasks implements Tasks {
  readonly #named = new Map<string, { readonly task: Task & { readonly digest: string }; samples: number }>();
  readonly #nameless: Task[] = [];

  get count(): number {
    return this.#named.size + this.#nameless.length;
  }

  /** In the order of their names: the same tasks are the same suite, whichever was tried first. */
  get digest(): string {
    const digest = new RunningDigest();
    const named = [...this.#named].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, { task }]) => task);
    for (const task of [...named, ...this.#nameless]) digest.add(task);
    return digest.digest();
  }

  of(rollout: Rollout): { readonly task: Task; readonly sample: number } {
    const task = taskIn(rollout);
    if (rollout.task === undefined) {
      this.#nameless.push(task);
      return { task, sample: 0 };
    }
    const known = getOrCreate(this.#named, JSON.stringify([task.id, task.digest, task.family]), () => ({
      task,
      samples: 0,
    }));
    return { task: known.task, sample: known.samples++ };
  }
}

/** The fields that count: spending on a model that answered. */
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

// The neural policy as a policy port: plans for the lake on several threads, with results that do not depend on their number.

import { availableParallelism } from 'node:os';
import {
  type Checkpoint,
  mapInOrder,
  moduleBeside,
  type Planned,
  type PlanRequest,
  type Policy,
  PolicyClosed,
  type Task,
  Threads,
  taskDigest,
} from '../../src/library/plugins/tools.ts';
import { lakeOf } from '../lake/tasks.ts';
import { readCheckpoint, valuesOf } from './checkpoint.ts';
import type { Assignment, PlanningSetup, WalkedPlan } from './planning-thread.ts';

const neuralComponent = 'neural';

interface NeuralOptions {
  readonly threads?: number;
}

/** Maximum number of tasks per message to a thread. */
const chunk = 16;
/** Chunks in progress or waiting to be read, per thread; and the maximum number of tasks. */
const ahead = 3;
const maxAhead = 1000;

type PlanningThreads = Threads<readonly Assignment[], readonly (readonly WalkedPlan[])[]>;

/** Throws errors of reading the file, and WrongCheckpoint for a checkpoint of another policy. */
export async function openNeural(
  checkpoint: Checkpoint,
  { threads: count = availableParallelism() }: NeuralOptions = {},
): Promise<Policy> {
  const setup: PlanningSetup = { weights: await readCheckpoint(checkpoint, (file) => valuesOf('policy', file)) };
  let threads: PlanningThreads | null = null;
  /** Started on demand, because readability is checked more often than plans are made. */
  const planning = (): PlanningThreads => {
    threads ??= new Threads(moduleBeside('planning-thread', import.meta.url), setup, count);
    return threads;
  };
  const closing = new AbortController();
  return {
    component: { name: neuralComponent, version: '1' },
    checkpoint,
    plan: (request) => plan(request, planning, closing.signal),
    close: async () => {
      closing.abort(new PolicyClosed(neuralComponent));
      await threads?.close(closing.signal.reason);
    },
  };
}

async function* plan(
  { tasks, samples = 1, greedy = false, seed, signal }: PlanRequest,
  planning: () => PlanningThreads,
  closing: AbortSignal,
): AsyncGenerator<Planned, void, undefined> {
  const stopping = AbortSignal.any([closing, ...(signal === undefined ? [] : [signal])]);
  stopping.throwIfAborted();
  const threads = planning();
  const batcher = new Batcher<Task, readonly WalkedPlan[]>(chunk, (some) =>
    threads.do(some.map((task) => ({ line: task.instance, digest: taskDigest(task), samples, greedy, seed }))),
  );
  const work = async (task: Task): Promise<readonly Planned[]> => {
    // Report an invalid lake here, because it would kill a thread.
    lakeOf(task);
    return (await batcher.do(task)).map((walked, sample) => plannedOf(task, sample, walked));
  };
  for await (const planned of mapInOrder(tasks, Math.min(maxAhead, ahead * chunk * threads.count), work, stopping)) {
    for (const one of planned) {
      stopping.throwIfAborted();
      yield one;
    }
  }
}

function plannedOf(task: Task, sample: number, walked: WalkedPlan): Planned {
  const { plan, agentSteps, logProbability, entropy, value } = walked;
  return { task, answer: plan, sample, agentSteps, sureness: { logProbability, entropy, value } };
}

// Batches items that are requested one by one at about the same time.

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

class Batcher<Item, Result> {
  readonly #most: number;
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>;
  #waiting: Waiting<Item, Result>[] = [];

  /** At most `most` at once. `work` returns a result for every item, in order. */
  constructor(most: number, work: (items: readonly Item[]) => Promise<readonly Result[]>) {
    this.#most = most;
    this.#work = work;
  }

  /** Together with other items requested in the same turn of the event loop. */
  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#begin());
      if (this.#waiting.length === this.#most) this.#begin();
    });
  }

  #begin(): void {
    const begun = this.#waiting;
    if (begun.length === 0) return;
    this.#waiting = [];
    this.#work(begun.map(({ item }) => item)).then(
      (results) => {
        begun.forEach(({ resolve }, i) => {
          resolve(results[i] as Result);
        });
      },
      (error) => {
        for (const { reject } of begun) reject(error);
      },
    );
  }
}

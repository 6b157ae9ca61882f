// The neural policy on the policy port: plans for the lake, on as many threads as there are cores, the same with any
// number of them.
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { sibling } from '../../../base/sibling.ts';
import { Threads } from '../../../base/threads.ts';
import { inOrder } from '../../environments/command/in-order.ts';
import { type Task, taskDigest } from '../../environments/task.ts';
import type { Checkpoint, Planned, PlanRequest, Policy } from '../policy.ts';
import { valuesOf } from './checkpoint.ts';
import type { Assignment, PlanningSetup, WalkedPlan } from './planning-thread.ts';
import { decode } from './safetensors.ts';

export interface NeuralOptions {
  readonly threads?: number;
}

/** Tasks that a thread is handed at once. */
const chunk = 16;
/** Chunks under way or waiting to be read, for each thread. */
const ahead = 3;

/** Throws NotSafetensors or WrongCheckpoint where the file is none of this policy's. */
export async function openNeural(
  checkpoint: Checkpoint,
  { threads: count = availableParallelism() }: NeuralOptions = {},
): Promise<Policy> {
  const setup: PlanningSetup = { weights: valuesOf('policy', decode(await readFile(checkpoint.reference))) };
  const threads = new Threads<readonly Assignment[], readonly (readonly WalkedPlan[])[]>(
    sibling('planning-thread', import.meta.url),
    setup,
    count,
  );
  return {
    component: { name: 'neural', version: '1' },
    checkpoint,
    plan: (request) => plan(request, threads),
    close: () => threads.close(new Error('the policy is closed')),
  };
}

async function* plan(
  { tasks, samples = 1, greedy = false, seed, signal }: PlanRequest,
  threads: Threads<readonly Assignment[], readonly (readonly WalkedPlan[])[]>,
): AsyncGenerator<Planned, void, undefined> {
  const work = async (some: readonly Task[]): Promise<readonly Planned[]> => {
    const walked = await threads.do(
      some.map((task) => ({ line: task.instance, digest: taskDigest(task), samples, greedy, seed })),
    );
    return some.flatMap((task, i) => (walked[i] ?? []).map((one, sample) => plannedOf(task, sample, one)));
  };
  for await (const planned of inOrder(chunksOf(tasks), ahead * threads.count, work, signal)) yield* planned;
}

function plannedOf(task: Task, sample: number, walked: WalkedPlan): Planned {
  const { plan, decisions, logProbability, entropy, value } = walked;
  return { task, answer: plan, sample, decisions, sureness: { logProbability, entropy, value } };
}

async function* chunksOf(tasks: Iterable<Task> | AsyncIterable<Task>): AsyncGenerator<readonly Task[], void> {
  let some: Task[] = [];
  for await (const task of tasks) {
    some.push(task);
    if (some.length < chunk) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

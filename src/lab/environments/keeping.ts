// An environment that remembers the tasks of its pools: whoever asks for the same again, as every stage of a run does, has
// them at once. Training data is not kept: nobody asks for the same of it twice.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Environment, Shortage, Tasks } from './environment.ts';
import type { Task } from './task.ts';

interface Kept {
  readonly tasks: readonly Task[];
  readonly shortages: readonly Shortage[];
}

/** `most` tasks are kept in all; a pool for which there is no room is made again. */
export function keepingTasks(environment: Environment, most = 20_000): Environment {
  const pools = new Map<string, Kept>();
  let room = most;

  const keep = (key: string, tasks: readonly Task[], shortages: readonly Shortage[]): void => {
    if (tasks.length > room || pools.has(key)) return;
    pools.set(key, { tasks, shortages });
    room -= tasks.length;
  };

  async function* keptOr(key: string, make: () => Tasks, signal: AbortSignal | undefined): Tasks {
    const known = pools.get(key);
    if (known !== undefined) {
      for (const task of known.tasks) {
        signal?.throwIfAborted();
        yield task;
      }
      return known.shortages;
    }
    const made = make();
    const tasks: Task[] = [];
    try {
      for (;;) {
        const next = await made.next();
        if (next.done === true) {
          keep(key, tasks, next.value);
          return next.value;
        }
        if (tasks.length <= room) tasks.push(next.value);
        yield next.value;
      }
    } finally {
      await made.return([]);
    }
  }

  return {
    ...environment,
    generate: (request) => {
      if (request.split === 'train') return environment.generate(request);
      const { signal, ...rest } = request;
      return keptOr(`generate ${canonicalJson(rest)}`, () => environment.generate(request), signal);
    },
    probe: (request) => {
      const { signal, ...rest } = request;
      return keptOr(`probe ${canonicalJson(rest)}`, () => environment.probe(request), signal);
    },
    suite: (name, signal) => keptOr(`suite ${name}`, () => environment.suite(name, signal), signal),
  };
}

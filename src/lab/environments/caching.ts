// An environment that remembers the tasks of its pools: whoever asks for the same again, as every stage of a run does, has
// them at once. Training data is not kept: nobody asks for the same of it twice.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Environment, Shortage, Task, Tasks } from './environment.ts';

interface Kept {
  readonly tasks: readonly Task[];
  readonly shortages: readonly Shortage[];
}

/** How many tasks are kept in all; a pool for which there is no room is made again. */
const mostKept = 20_000;

export function keepingTasks(environment: Environment): Environment {
  const pools = new Map<string, Kept>();
  let room = mostKept;

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

// An environment that remembers the training tasks it made last: engineers that are asked after the same stage, one after the
// other, look at the same candidates.

interface Made {
  readonly tasks: readonly Task[];
  readonly shortages: readonly Shortage[];
}

/** Of a request for so many tasks nothing is remembered: it is for training itself, and comes once. */
const mostAtOnce = 100;

/** `most` tasks are remembered in all: those asked for longest ago are forgotten first. */
export function rememberingTraining(environment: Environment, most = 10_000): Environment {
  const made = new Map<string, Made>();
  let room = most;

  const remember = (key: string, one: Made): void => {
    if (made.has(key)) return;
    made.set(key, one);
    room -= one.tasks.length;
    for (const [oldest, { tasks }] of made) {
      if (room >= 0) break;
      made.delete(oldest);
      room += tasks.length;
    }
  };

  async function* again(key: string, { tasks, shortages }: Made): Tasks {
    // What is asked for again is the last to be forgotten.
    if (made.delete(key)) made.set(key, { tasks, shortages });
    yield* tasks;
    return shortages;
  }

  async function* anew(key: string, tasks: Tasks): Tasks {
    const seen: Task[] = [];
    try {
      for (;;) {
        const next = await tasks.next();
        if (next.done === true) {
          remember(key, { tasks: seen, shortages: next.value });
          return next.value;
        }
        seen.push(next.value);
        yield next.value;
      }
    } finally {
      await tasks.return([]);
    }
  }

  return {
    ...environment,
    generate: (request) => {
      if (request.split !== 'train' || request.count > mostAtOnce) return environment.generate(request);
      const { signal: _, ...rest } = request;
      const key = canonicalJson(rest);
      const known = made.get(key);
      return known === undefined ? anew(key, environment.generate(request)) : again(key, known);
    },
  };
}

// An environment that caches the tasks of its pools, because every stage of a run requests the same ones. Training data
// is not cached: it is never requested twice.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Environment, Shortage, Task, Tasks } from './environment.ts';

interface CachedPool {
  readonly tasks: readonly Task[];
  readonly shortages: readonly Shortage[];
}

/** The maximum number of cached tasks; a pool that does not fit is generated again. */
const mostKept = 20_000;

export function keepingTasks(environment: Environment): Environment {
  const pools = new Map<string, CachedPool>();
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

// An environment that caches the training tasks it made last: engineers that decide after the same stage look at the
// same candidates.

interface Made {
  readonly tasks: readonly Task[];
  readonly shortages: readonly Shortage[];
}

/** Larger requests are not cached: they are for the training itself and come only once. */
const mostAtOnce = 100;

/** Caches at most `most` tasks; the least recently used are dropped first. */
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
    // Moves a requested entry to the end of the eviction order.
    if (made.delete(key)) made.set(key, { tasks, shortages });
    yield* tasks;
    return shortages;
  }

  async function* recording(key: string, tasks: Tasks): Tasks {
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
      return known === undefined ? recording(key, environment.generate(request)) : again(key, known);
    },
  };
}

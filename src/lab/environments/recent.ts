// An environment that remembers the training tasks it made last: engineers that are asked after the same stage, one after the
// other, look at the same candidates.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Environment, Shortage, Tasks } from './environment.ts';
import type { Task } from './task.ts';

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

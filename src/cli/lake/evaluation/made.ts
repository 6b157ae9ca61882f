// Lakes that are made to evaluate on, as tasks. Threads make them; a small edition of a suite is made sooner without any.
import { parseJson } from '../../../../schemas/json-text.ts';
import type { LakeGenerated } from '../../../../schemas/lake-output.ts';
import type { Environment, Task, Tasks } from '../../../lab/environments/environment.ts';
import { openLake } from '../../../lab/lake/environment.ts';
import { suiteNamed } from '../../../lab/lake/generator/suites.ts';
import { shortageOf } from '../../../lab/lake/tasks.ts';
import { generation } from '../../../lab/lake/workers/generation.ts';
import type { GenerateRequest } from '../../../lab/lake/workers/pool.ts';
import { worthTelling } from '../shortages.ts';

/** Fewer lakes of each size than this are made sooner than threads are started. */
const worthThreads = 50;

/** The lake, whose suites are made by so many threads, and once only: they are kept for whoever asks again. */
export function lakeOnThreads(jobs: number): Environment {
  const lake = openLake();
  const kept = new Map<string, readonly Task[]>();
  return {
    ...lake,
    async *suite(name: string, signal?: AbortSignal): Tasks {
      const known = kept.get(name);
      if (known !== undefined) {
        yield* known;
        return [];
      }
      const suite = suiteNamed(name);
      const isSmall = suite === null || suite.perSize < worthThreads;
      const tasks = isSmall ? lake.suite(name, signal) : made({ kind: 'suite', suite }, jobs, signal);
      const all: Task[] = [];
      for (;;) {
        const next = await tasks.next();
        if (next.done === true) {
          kept.set(name, all);
          return next.value;
        }
        all.push(next.value);
        yield next.value;
      }
    },
  };
}

/** Whoever stops in the middle has nothing more made. */
export async function* made(request: GenerateRequest, jobs: number, signal?: AbortSignal): Tasks {
  const lines = generation({ request, jobs }, signal ?? new AbortController().signal);
  try {
    for (;;) {
      const next = await lines.next();
      if (next.done === true) return worthTelling(request, next.value).map(shortageOf);
      for (const line of next.value) yield taskOf(parseJson(line) as LakeGenerated);
    }
  } finally {
    await lines.return([]);
  }
}

function taskOf({ id, size, holes, agents, digest, cost, needsWait }: LakeGenerated): Task {
  return {
    id,
    family: String(size),
    instance: { size, holes, agents },
    digest,
    facts: { agents: agents.length, holes: holes.length, needsWait, optimalCost: cost },
    conditions: { agents: agents.length, needsWait },
  };
}

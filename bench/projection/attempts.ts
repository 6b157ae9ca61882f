// Tries at real lakes, really planned and really judged, kept by task. A long history draws from them, so that each of its
// rollouts is one that could have been, and none has to be planned and judged again.
import type { Environment } from '../../src/lab/environments/environment.ts';
import { type Task, taskDigest } from '../../src/lab/environments/task.ts';
import { isSpoilt } from '../../src/lab/environments/verdict.ts';
import { type Evaluated, judged } from '../../src/lab/evaluation/judged.ts';
import type { Policy } from '../../src/lab/policies/policy.ts';
import { greedyPolicy } from '../../src/lab/policies/scripted/greedy.ts';
import { optimalPolicy } from '../../src/lab/policies/scripted/optimal.ts';
import { randomPolicy } from '../../src/lab/policies/scripted/random.ts';
import type { Random } from '../../src/lab/random.ts';

interface Tried {
  readonly solved: Evaluated[];
  readonly failed: Evaluated[];
}

/** Who tries, and how often: some solve most of it, some fail in many ways. */
const players: readonly { readonly policy: () => Policy; readonly samples: number }[] = [
  { policy: optimalPolicy, samples: 1 },
  { policy: greedyPolicy, samples: 3 },
  { policy: randomPolicy, samples: 3 },
];

export class Attempts {
  readonly #environment: Environment;
  readonly #tried = new Map<string, Tried>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Tasks have to be prepared before anything is drawn for them. */
  async prepare(tasks: readonly Task[]): Promise<void> {
    const unknown = tasks.filter((task) => !this.#tried.has(taskDigest(task)));
    for (const task of unknown) this.#tried.set(taskDigest(task), { solved: [], failed: [] });
    for (const { policy, samples } of players) {
      const player = policy();
      const plans = player.plan({ tasks: unknown, samples, seed: 'attempts' });
      for await (const one of judged(this.#environment, plans)) this.#keep(one);
      await player.close();
    }
  }

  /** One that succeeds, as often as `rate` says; where a task has only the other kind, one of that. */
  draw(task: Task, rate: number, luck: Random): Evaluated {
    const tried = this.#tried.get(taskDigest(task));
    if (tried === undefined) throw new Error(`nobody tried ${task.id}`);
    const { solved, failed } = tried;
    const wanted = luck.fraction() < rate ? solved : failed;
    const there = wanted.length > 0 ? wanted : solved.length > 0 ? solved : failed;
    return there[luck.below(there.length)] as Evaluated;
  }

  #keep(one: Evaluated): void {
    const tried = this.#tried.get(taskDigest(one.planned.task));
    if (isSpoilt(one.verdict) || tried === undefined) return;
    tried[one.verdict.success ? 'solved' : 'failed'].push(one);
  }
}

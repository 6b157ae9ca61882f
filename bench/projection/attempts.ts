// Tries at real lakes, really planned and really judged, kept by task. A long history draws from them, so that each of its
// rollouts is one that could have been, and none has to be planned and judged again.
import { type Environment, isSpoilt, type Task, taskDigest } from '../../src/lab/environments/environment.ts';
import { type Evaluated, judged } from '../../src/lab/evaluation/judged.ts';
import type { Planned } from '../../src/lab/policies/policy.ts';
import { Random } from '../../src/lab/random.ts';
import { greedyPolicy, optimalPolicy } from '../../testbed/scripted.ts';

interface Tried {
  readonly solved: Evaluated[];
  readonly failed: Evaluated[];
}

/** How often somebody errs on a way that was right. */
const errors = 6;
const moves = ['U', 'D', 'L', 'R', 'W'] as const;

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
    for (const policy of [optimalPolicy(), greedyPolicy()]) {
      await this.#judge(policy.plan({ tasks: unknown, seed: 'attempts' }));
      await policy.close();
    }
    await this.#judge(this.#errors(unknown));
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

  async #judge(plans: AsyncIterable<Planned>): Promise<void> {
    for await (const one of judged(this.#environment, plans)) this.#keep(one);
  }

  /** As policies fail that have learnt something: mostly right, and then wrong once. */
  async *#errors(tasks: readonly Task[]): AsyncGenerator<Planned> {
    for (const task of tasks) {
      const [right] = this.#tried.get(taskDigest(task))?.solved ?? [];
      if (right === undefined) continue;
      const luck = new Random('attempts', 'errors', taskDigest(task));
      const plan = right.planned.answer as readonly string[];
      for (let i = 0; i < errors; i++) yield { ...right.planned, answer: erring(plan, luck) };
    }
  }

  #keep(one: Evaluated): void {
    const tried = this.#tried.get(taskDigest(one.planned.task));
    if (isSpoilt(one.verdict) || tried === undefined) return;
    tried[one.verdict.success ? 'solved' : 'failed'].push(one);
  }
}

/** One agent stops on its way, or does something else once. */
function erring(plan: readonly string[], luck: Random): readonly string[] {
  const agent = luck.below(plan.length);
  const way = plan[agent] ?? '';
  const step = luck.below(Math.max(1, way.length));
  const other = luck.below(3) === 0 ? '' : `${moves[luck.below(moves.length)]}${way.slice(step + 1)}`;
  return plan.with(agent, way.slice(0, step) + other);
}

// Real attempts at real lakes, planned and judged, by task. A generated history samples from them, so that each of its rollouts is realistic and
// none has to be planned and judged again.
import { type Environment, isSpoilt, type Task, taskDigest } from '../../src/lab/environments/environment.ts';
import { type Evaluated, judged } from '../../src/lab/evaluation/judged.ts';
import type { Planned } from '../../src/lab/policies/policy.ts';
import { Random } from '../../src/lab/random.ts';
import { greedyPolicy, optimalPolicy } from '../../testbed/scripted.ts';

interface Tried {
  readonly solved: Evaluated[];
  readonly failed: Evaluated[];
}

/** How many faulty variants are made of a correct plan. */
const errors = 6;
const moves = ['U', 'D', 'L', 'R', 'W'] as const;

export class Attempts {
  readonly #environment: Environment;
  readonly #tried = new Map<string, Tried>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Tasks must be prepared before sampling. */
  async prepare(tasks: readonly Task[]): Promise<void> {
    const unknown = tasks.filter((task) => !this.#tried.has(taskDigest(task)));
    for (const task of unknown) this.#tried.set(taskDigest(task), { solved: [], failed: [] });
    for (const policy of [optimalPolicy(), greedyPolicy()]) {
      await this.#judge(policy.plan({ tasks: unknown, seed: 'attempts' }));
      await policy.close();
    }
    await this.#judge(this.#errors(unknown));
  }

  /** A successful attempt with probability `rate`; if a task has only one kind, one of that kind. */
  draw(task: Task, rate: number, random: Random): Evaluated {
    const tried = this.#tried.get(taskDigest(task));
    if (tried === undefined) throw new Error(`no attempt at ${task.id}`);
    const { solved, failed } = tried;
    const wanted = random.fraction() < rate ? solved : failed;
    const there = wanted.length > 0 ? wanted : solved.length > 0 ? solved : failed;
    return there[random.below(there.length)] as Evaluated;
  }

  async #judge(plans: AsyncIterable<Planned>): Promise<void> {
    for await (const one of judged(this.#environment, plans)) this.#keep(one);
  }

  /** Fails like a partly trained policy: mostly right, with one mistake. */
  async *#errors(tasks: readonly Task[]): AsyncGenerator<Planned> {
    for (const task of tasks) {
      const [right] = this.#tried.get(taskDigest(task))?.solved ?? [];
      if (right === undefined) continue;
      const random = new Random('attempts', 'errors', taskDigest(task));
      const plan = right.planned.answer as readonly string[];
      for (let i = 0; i < errors; i++) yield { ...right.planned, answer: erring(plan, random) };
    }
  }

  #keep(one: Evaluated): void {
    const tried = this.#tried.get(taskDigest(one.planned.task));
    if (isSpoilt(one.verdict) || tried === undefined) return;
    tried[one.verdict.success ? 'solved' : 'failed'].push(one);
  }
}

/** One agent stops on its way, or makes one wrong move. */
function erring(plan: readonly string[], random: Random): readonly string[] {
  const agent = random.below(plan.length);
  const way = plan[agent] ?? '';
  const step = random.below(Math.max(1, way.length));
  const other = random.below(3) === 0 ? '' : `${moves[random.below(moves.length)]}${way.slice(step + 1)}`;
  return plan.with(agent, way.slice(0, step) + other);
}

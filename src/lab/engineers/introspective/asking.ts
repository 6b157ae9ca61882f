// What a snapshot thinks of tasks it never tried: candidates are generated, it plans them, and says how sure it is. Whether
// its plans are any good is not looked at.
import type { Descriptor } from '../../../../schemas/environment.ts';
import type { Configuration, Environment } from '../../environments/environment.ts';
import { BadConfiguration } from '../../environments/errors.ts';
import type { Task } from '../../environments/task.ts';
import type { Policy, Sureness } from '../../policies/policy.ts';
import { alike, withShares } from '../blind/proposing.ts';

export interface Candidates {
  readonly family: string;
  readonly configuration: Configuration;
  readonly count: number;
  readonly seed: string;
}

export class Snapshot {
  readonly #environment: Pick<Environment, 'descriptor' | 'generate'>;
  readonly #policy: Policy;
  readonly #signal: AbortSignal | undefined;
  /** It says nothing of how sure it is. Plans may cost money: it is not asked for more. */
  #isMute = false;

  constructor(
    environment: Pick<Environment, 'descriptor' | 'generate'>,
    policy: Policy,
    signal: AbortSignal | undefined,
  ) {
    this.#environment = environment;
    this.#policy = policy;
    this.#signal = signal;
  }

  /**
   * What it expects of each task, from 0: what it thinks it will earn, or, where it has no notion of that, how likely it
   * deems its own decisions. Empty where there are no such tasks, or it says nothing of how sure it is.
   */
  async expectations(candidates: Candidates): Promise<number[]> {
    if (this.#isMute) return [];
    const signal = this.#signal === undefined ? {} : { signal: this.#signal };
    const tasks = await this.#tasks(candidates, signal);
    const expected: number[] = [];
    for await (const { sureness, fault } of this.#policy.plan({ tasks, seed: candidates.seed, ...signal })) {
      if (sureness !== undefined) expected.push(expectationOf(sureness));
      else if (fault === undefined) this.#isMute = true;
      if (this.#isMute) break;
    }
    return expected;
  }

  async #tasks({ family, configuration, count, seed }: Candidates, signal: { signal?: AbortSignal }): Promise<Task[]> {
    const alone = onlyOf(this.#environment.descriptor, configuration, family);
    const tasks: Task[] = [];
    try {
      const made = this.#environment.generate({ configuration: alone, split: 'train', count, seed, ...signal });
      for await (const task of made) if (task.family === family) tasks.push(task);
    } catch (error) {
      if (!(error instanceof BadConfiguration)) throw error;
    }
    return tasks;
  }
}

function expectationOf({ value, logProbability }: Sureness): number {
  return Math.max(value ?? Math.exp(logProbability), 0);
}

/** The same configuration with all shares given to one family. */
function onlyOf(descriptor: Descriptor, configuration: Configuration, family: string): Configuration {
  return withShares(descriptor, configuration, alike([{ family }]));
}

// Which tasks of a pool a shard has. Neighbours stay together, so that the shards one after the other are the pool in its
// order: what adds up evidence comes to the same, to the last digit, into however many shards it was split.
import type { Task, Tasks } from '../../../lab/environments/environment.ts';

export interface Portion {
  /** The place of its first task in the pool. */
  readonly from: number;
  /** That of the one behind its last. */
  readonly to: number;
}

/** Of so many tasks those of one shard; no two shards differ by more than one. */
export function portionOf(tasks: number, shard: number, shards: number): Portion {
  return { from: Math.floor((tasks * shard) / shards), to: Math.floor((tasks * (shard + 1)) / shards) };
}

/** A pool that is given out in portions, one after the other. It is made anew for a portion that lies before the last one. */
export class PortionedPool {
  readonly #make: () => Tasks;
  #making: Making | null = null;
  #count: Promise<number> | null = null;

  constructor(make: () => Tasks) {
    this.#make = make;
  }

  /** How many tasks there are. */
  count(): Promise<number> {
    this.#count ??= countIn(this.#make());
    return this.#count;
  }

  async *portion({ from, to }: Portion): AsyncGenerator<Task, void, undefined> {
    if (from >= to) return;
    if (this.#making !== null && from < this.#making.made) await this.close();
    this.#making ??= { tasks: this.#make(), made: 0 };
    const making = this.#making;
    while (making.made < to) {
      const { done, value } = await making.tasks.next();
      if (done === true) return;
      making.made += 1;
      if (making.made > from) yield value;
    }
  }

  /** Ends the making of it; a portion that is asked for afterwards begins anew. */
  async close(): Promise<void> {
    const making = this.#making;
    this.#making = null;
    await making?.tasks.return([]);
  }
}

interface Making {
  readonly tasks: Tasks;
  /** How many of them were made. */
  made: number;
}

export async function countIn(tasks: Tasks): Promise<number> {
  let count = 0;
  for await (const _ of tasks) count += 1;
  return count;
}

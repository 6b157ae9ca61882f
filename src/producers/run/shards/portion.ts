// The tasks of a shard. Neighbours stay together, so that consecutive shards are the pool in order: sums over the
// evidence are identical to the last digit for any number of shards.
import type { Task, Tasks } from '../../../lab/environments/environment.ts';

export interface Portion {
  /** The position of its first task in the pool. */
  readonly from: number;
  /** The position after its last task. */
  readonly to: number;
}

/** The portion of one shard; shards differ in size by at most one. */
export function portionOf(tasks: number, shard: number, shards: number): Portion {
  return { from: Math.floor((tasks * shard) / shards), to: Math.floor((tasks * (shard + 1)) / shards) };
}

/** A pool that is read in consecutive portions. It is generated again for an earlier portion. */
export class PortionedPool {
  readonly #make: () => Tasks;
  #making: Making | null = null;
  #count: Promise<number> | null = null;

  constructor(make: () => Tasks) {
    this.#make = make;
  }

  /** The number of tasks. */
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

  /** Stops generating; a later portion starts again. */
  async close(): Promise<void> {
    const making = this.#making;
    this.#making = null;
    await making?.tasks.return([]);
  }
}

interface Making {
  readonly tasks: Tasks;
  /** The number generated so far. */
  made: number;
}

export async function countIn(tasks: Tasks): Promise<number> {
  let count = 0;
  for await (const _ of tasks) count += 1;
  return count;
}

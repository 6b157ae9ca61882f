// What a worker says while it works: a line for every shard it has done, or lost to another; on a terminal also what it is
// doing at the moment. It stands on standard error.

import { count, counted, duration } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import type { WorkProgress } from '../../producers/run/shards/work.ts';
import type { Context } from '../context.ts';
import { Live } from '../output/live.ts';

/** In milliseconds. */
const redrawn = 200;

export class WorkWatch {
  readonly #context: Context;
  readonly #live: Live;
  #begun = performance.now();
  #drawnAt = Number.NEGATIVE_INFINITY;
  #idleAfter = '';
  readonly done = { shards: 0, events: 0, lost: 0 };

  constructor(context: Context) {
    this.#context = context;
    this.#live = new Live(context.io);
  }

  readonly tell = async (progress: WorkProgress): Promise<void> => {
    switch (progress.kind) {
      case 'idle':
        return await this.#idle(progress.history);
      case 'shard-taken':
        this.#begun = performance.now();
        return await this.#show(`stage ${progress.stage}: shard ${progress.shard} of ${progress.of}`);
      case 'rollouts':
        return await this.#show(`stage ${progress.stage}: ${progress.of}, ${count(progress.done)} rollouts`);
      case 'shards':
        return await this.#show(
          `stage ${progress.stage}: ${count(progress.completed)} of ${counted(progress.of, 'shard')} are done, ${count(progress.held)} in hand`,
        );
      case 'shard-completed':
        return await this.#completed(progress);
      case 'shard-lost':
        this.done.lost += 1;
        return await this.#say(progress.fault.message);
      default:
    }
  };

  async end(): Promise<void> {
    await this.#live.end();
  }

  async #completed({ stage, shard, of, events }: Extract<WorkProgress, { kind: 'shard-completed' }>): Promise<void> {
    this.done.shards += 1;
    this.done.events += events;
    const took = duration((performance.now() - this.#begun) / 1000);
    await this.#say(`stage ${stage}: shard ${shard} of ${of} is done, ${counted(events, 'event')}, ${took}`);
  }

  /** Once for each place where the run stands: whatever is written there wakes it. */
  async #idle({ stages, failed, revision }: Extract<WorkProgress, { kind: 'idle' }>['history']): Promise<void> {
    const fault = failed === null ? '' : `, which failed: ${visible(failed.data.message)}`;
    const after = `${stages.length}${failed === null ? '' : revision}`;
    if (after === this.#idleAfter) return;
    this.#idleAfter = after;
    await this.#say(`nothing to do in stage ${Math.max(stages.length, 1)} yet: waiting for the run${fault}`);
  }

  async #say(text: string): Promise<void> {
    await this.#live.end();
    await this.#context.say(text);
  }

  async #show(text: string): Promise<void> {
    const { flags, io } = this.#context;
    const now = performance.now();
    if (flags.quiet || !io.stderr.isTTY || (flags.json && io.stdout.isTTY) || now - this.#drawnAt < redrawn) return;
    this.#drawnAt = now;
    await this.#live.show([text]);
  }
}

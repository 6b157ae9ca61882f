// What `icecore worker` prints, and its progress on standard error.
import { escapeControls } from '../../base/escape.ts';
import { count, counted, duration } from '../../base/quantity.ts';
import { work as shareRollouts, type WorkerOptions, type WorkerProgress } from '../../library/experiment/worker.ts';
import type { Context } from '../context.ts';
import { Live } from '../output/live.ts';

/** In milliseconds. */
const redrawn = 200;

class WorkWatch {
  readonly #context: Context;
  readonly #live: Live;
  #begun = performance.now();
  #drawnAt = Number.NEGATIVE_INFINITY;
  #idleAfter = '';

  constructor(context: Context) {
    this.#context = context;
    this.#live = new Live(context.io);
  }

  readonly onProgress = async (progress: WorkerProgress): Promise<void> => {
    switch (progress.kind) {
      case 'no-run':
        return await this.#say(`there is no run ${progress.name} yet: waiting until it starts`);
      case 'idle':
        return await this.#idle(progress.history);
      case 'shard-taken':
        this.#begun = performance.now();
        return await this.#show(`stage ${progress.stage}: shard ${progress.shard} of ${progress.of}`);
      case 'rollouts':
        return await this.#show(`stage ${progress.stage}: ${progress.of}, ${count(progress.done)} rollouts`);
      case 'shards':
        return await this.#show(
          `stage ${progress.stage}: ${count(progress.completed)} of ${counted(progress.of, 'shard')} are done, workers have ${count(progress.held)}`,
        );
      case 'shard-completed':
        return await this.#completed(progress);
      case 'shard-lost':
        return await this.#say(progress.fault.message);
      default:
    }
  };

  readonly end = async (): Promise<void> => {
    await this.#live.end();
  };

  async #completed({ stage, shard, of, events }: Extract<WorkerProgress, { kind: 'shard-completed' }>): Promise<void> {
    const took = duration((performance.now() - this.#begun) / 1000);
    await this.#say(`stage ${stage}: shard ${shard} of ${of} is done, ${counted(events, 'event')}, ${took}`);
  }

  /** Says it once per state of the run: every event of the run wakes the worker. */
  async #idle({ stages, failed, revision }: Extract<WorkerProgress, { kind: 'idle' }>['history']): Promise<void> {
    const fault = failed === null ? '' : `, which failed: ${escapeControls(failed.data.message)}`;
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

export async function work(context: Context, run: string, options: WorkerOptions): Promise<number> {
  const watch = new WorkWatch(context);
  const result = await shareRollouts(context.session, run, { ...options, onProgress: watch.onProgress }).finally(
    watch.end,
  );
  if (context.flags.json) await context.printJson(result);
  else {
    const { name, shards } = result;
    await context.print(`${escapeControls(name)} is completed; this worker did ${counted(shards, 'shard')} of it\n`);
  }
  return 0;
}

// How far a copy has come, one line for each thing it does.
import type { CopyStep } from '../../ledger/copy/copy.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';

const nouns = { comparing: 'events compared', copying: 'events', proving: 'events proven' } as const;

export class CopyProgress {
  readonly #context: Context;
  readonly #now: (() => number) | undefined;
  #doing: CopyStep['doing'] | null = null;
  #shown: Progress | null = null;

  constructor(context: Context, now?: () => number) {
    this.#context = context;
    this.#now = now;
  }

  async update({ doing, ...step }: CopyStep): Promise<void> {
    if (doing !== this.#doing) {
      await this.end();
      this.#doing = doing;
      this.#shown = new Progress(this.#context, nouns[doing], this.#now);
    }
    await this.#shown?.update(step);
  }

  async end(): Promise<void> {
    await this.#shown?.end();
  }
}

// How far work of several steps has come, one line for each.
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';

export class StepProgress<Doing extends string> {
  readonly #context: Context;
  readonly #nouns: Readonly<Record<Doing, string>>;
  #doing: Doing | null = null;
  #shown: Progress | null = null;

  constructor(context: Context, nouns: Readonly<Record<Doing, string>>) {
    this.#context = context;
    this.#nouns = nouns;
  }

  async update({ doing, done, of }: { doing: Doing; done: number; of: number | null }): Promise<void> {
    if (doing !== this.#doing) {
      await this.end();
      this.#doing = doing;
      this.#shown = new Progress(this.#context, this.#nouns[doing]);
    }
    await this.#shown?.update({ done, of });
  }

  async end(): Promise<void> {
    await this.#shown?.end();
  }
}

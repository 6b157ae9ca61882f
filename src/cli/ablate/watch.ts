// What is shown while an ablation goes on: how many decisions are done, which arms came to grief, and what is repeated first.
import { counted, duration } from '../../base/quantity.ts';
import type { AblationProgress } from '../../library/ablation/ablate.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';
import { RemainingTime } from './remaining.ts';

type Opened = Extract<AblationProgress, { kind: 'opened' }>;

export class AblationWatch {
  readonly #context: Context;
  readonly #decisions: Progress;
  #progress: Progress;
  #ablation: Opened | null = null;
  readonly #remaining = new RemainingTime();
  readonly #reported = new Set<string>();
  #asked = 0;
  #hasBegun = false;

  constructor(context: Context) {
    this.#context = context;
    this.#decisions = new Progress(context, 'decisions');
    this.#progress = this.#decisions;
  }

  readonly tell = async (progress: AblationProgress): Promise<void> => {
    if (progress.kind === 'opened') {
      this.#ablation = progress;
      if (progress.depth !== 'propose') this.#progress = new Progress(this.#context, 'results');
      return;
    }
    if (this.#ablation !== null) await this.#show(progress, this.#ablation);
  };

  async #show(progress: Exclude<AblationProgress, Opened>, ablation: Opened): Promise<void> {
    await this.#begin(ablation);
    switch (progress.kind) {
      case 'repeating': {
        await this.#progress.end();
        const name = ablation.histories.find(({ run }) => run === progress.run)?.name ?? progress.run;
        return await this.#context.say(
          `repeating the recorded training of ${name}@${progress.stage}, which must give the same checkpoint`,
        );
      }
      case 'retrying':
        await this.#progress.end();
        return await this.#context.say(`${progress.why}; asking again in ${duration(progress.seconds)}`);
      case 'errored':
        return await this.#errored(progress.task.arm.arm, progress.why);
      case 'done':
        return await this.#ended(progress);
      case 'begun':
        // Before arms are trained, all of them decide.
        if (progress.doing !== 'propose' || ablation.depth !== 'train') return this.#remaining.begin(progress.task);
        this.#asked += 1;
        return await this.#decisions.update({ done: this.#asked, of: ablation.decisions });
    }
  }

  async #ended({ task, done, of }: Extract<AblationProgress, { kind: 'done' }>): Promise<void> {
    this.#remaining.end(task);
    await this.#progress.update({ done, of }, this.#remaining.seconds(of - done));
  }

  /** Each arm once: it has the same error with every seed. */
  async #errored(arm: string, why: string): Promise<void> {
    if (this.#reported.has(arm)) return;
    this.#reported.add(arm);
    await this.#progress.end();
    await this.#context.say(`${arm} is errored: ${why}`);
  }

  readonly end = async (): Promise<void> => {
    await this.#decisions.end();
    await this.#progress.end();
  };

  async #begin({ depth, arms, units, histories, name, ablation }: Opened): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const of = [counted(arms, 'arm'), counted(units, 'seed'), counted(histories.length, 'run')];
    const what = `${of.join(', ')}, depth ${depth}`;
    await this.#context.say(`ablation ${name ?? ablation}: ${what}`);
  }
}

// What is shown while an ablation goes on: how many decisions are done, which arms came to grief, and what is repeated first.
import { counted, duration } from '../../base/quantity.ts';
import { type Design, tasksOf } from '../../producers/ablation/design.ts';
import type { AblationProgress } from '../../producers/ablation/working.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';

export class AblationWatch {
  readonly #context: Context;
  readonly #design: Design;
  readonly #progress: Progress;
  readonly #decisions: Progress;
  readonly #reported = new Set<string>();
  #asked = 0;
  #hasBegun = false;

  constructor(context: Context, design: Design) {
    this.#context = context;
    this.#design = design;
    this.#progress = new Progress(context, design.depth === 'propose' ? 'decisions' : 'arms');
    this.#decisions = new Progress(context, 'decisions');
  }

  readonly tell = async (progress: AblationProgress): Promise<void> => {
    await this.#begin();
    switch (progress.kind) {
      case 'repeating': {
        await this.#progress.end();
        const name = this.#design.histories.find(({ run }) => run === progress.run)?.name ?? progress.run;
        return await this.#context.say(`training stage ${progress.stage} of ${name} again, which has to give the same`);
      }
      case 'retrying':
        await this.#progress.end();
        return await this.#context.say(`${progress.why}; asking again in ${duration(progress.seconds)}`);
      case 'errored':
        return await this.#errored(progress.task.arm.arm, progress.why);
      case 'done':
        return await this.#progress.update({ done: progress.done, of: progress.of });
      case 'begun':
        // Before arms are trained, all of them decide.
        if (progress.doing === 'propose' && this.#design.depth === 'train') {
          this.#asked += 1;
          await this.#decisions.update({ done: this.#asked, of: tasksOf(this.#design).length });
        }
        return;
    }
  };

  /** Each arm once: it has the same error with every seed. */
  async #errored(arm: string, why: string): Promise<void> {
    if (this.#reported.has(arm)) return;
    this.#reported.add(arm);
    await this.#progress.end();
    await this.#context.say(`${arm} is errored: ${why}`);
  }

  readonly wait = (holder: string, seconds: number): void => {
    void this.#context.say(`waiting for ${holder}, whose claim may hold ${duration(seconds)} more`);
  };

  async end(): Promise<void> {
    await this.#decisions.end();
    await this.#progress.end();
  }

  async #begin(): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { depth, arms, units, histories, name, ablation } = this.#design;
    const tasks = tasksOf(this.#design).length;
    const of = [
      counted(arms.length, 'arm'),
      counted(units.length, 'unit'),
      counted(histories.length, 'history', 'histories'),
    ];
    await this.#context.say(
      `ablation ${name ?? ablation}: ${of.join(', ')}, ${counted(tasks, 'decision')}, depth ${depth}`,
    );
  }
}

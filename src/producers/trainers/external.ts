// Training that icecore has no part in: a shell script, a cluster job, a person. icecore says what is to be trained, and
// takes what came of it: `icecore stage start` and `icecore stage finish`.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Trained, Trainer } from '../../lab/trainers/trainer.ts';

/** What a run's trainer is called where somebody else trains. */
export const external = 'external';

/** With what came of a training, it hands that in; without, it trains nothing. */
export function openExternal(run: string, trained: Trained | null = null): Trainer {
  return {
    component: { name: external, version: '1' },
    isReproducible: false,
    // biome-ignore lint/correctness/useYield: it knows of no progress
    async *train() {
      if (trained === null) throw new TrainedElsewhere(run);
      return trained;
    },
    close: async () => {},
  };
}

export class TrainedElsewhere extends IcecoreError {
  override readonly name = 'TrainedElsewhere';

  constructor(run: string) {
    super('usage', `${run} is trained by something else than icecore: its trainer is ${external}`, {
      facts: { run, trainer: external },
      remedy: `icecore stage start ${run} prints what is to be trained, icecore stage finish ${run} takes what came of it.`,
    });
  }
}

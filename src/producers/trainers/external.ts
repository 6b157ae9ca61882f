// Training that icecore has no part in: a shell script, a cluster job, a person. icecore says what is to be trained, and
// takes what came of it: `icecore stage start` and `icecore stage finish`.

import { IcecoreError } from '../../../schemas/errors.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import type { Trained, Trainer } from '../../lab/trainers/trainer.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { nameIn } from '../programs.ts';

/** What a run's trainer is called where somebody else trains. */
export const external = 'external';

export function isExternal(trainer: RunSettings['trainer'] | undefined): boolean {
  return trainer !== undefined && nameIn(trainer) === external;
}

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

  /** Null: a run that does not exist yet. */
  constructor(run: string | null) {
    const what =
      run === null ? `the trainer ${external} is not one that icecore starts` : `${run} is trained elsewhere`;
    super('usage', run === null ? what : `${what}: its trainer is ${external}`, {
      facts: { run, trainer: external },
      remedy:
        run === null
          ? 'icecore stage start NAME, with the same options, begins a run that something else trains.'
          : `icecore stage start ${shellWord(run)} prints what is to be trained, icecore stage finish ${shellWord(run)} takes what came of it.`,
    });
  }
}

// Which stage somebody means who asks about a run, or decides for it: one that is over.

import { IcecoreError } from '../../../schemas/errors.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import type { RunHistory, StageHistory } from '../run/history.ts';

/** The last one where none is named. Throws StageNotOver. */
export function stageOver(history: RunHistory, stage: number | null): StageHistory {
  const over = history.stages.filter(({ completed }) => completed !== null);
  const found = stage === null ? over.at(-1) : over.find((one) => one.stage === stage);
  if (found === undefined) throw new StageNotOver(history, stage, over.length);
  return found;
}

export function nameOf({ run, started }: RunHistory): string {
  return started?.data.name ?? run;
}

export class StageNotOver extends IcecoreError {
  override readonly name = 'StageNotOver';

  constructor(history: RunHistory, stage: number | null, over: number) {
    const name = nameOf(history);
    const which = over === 0 ? 'none of its stages is' : over === 1 ? 'only stage 1 is' : `stages 1 to ${over} are`;
    super(
      'not-found',
      stage === null ? `no stage of ${name} is over` : `stage ${stage} of ${name} is not over: ${which}`,
      {
        facts: { run: history.run, stage, over },
        remedy:
          over === 0
            ? `Go on with it first: icecore resume ${shellWord(name)}`
            : `icecore show ${shellWord(name)} shows its stages.`,
      },
    );
  }
}

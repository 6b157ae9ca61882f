// Which decisions of a run are taken again: all that were taken in it, or those after the stages that somebody names.

import { IcecoreError } from '../../../schemas/errors.ts';
import type { RunSettings } from '../../../schemas/run-file.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import { nameOf } from '../by-hand/stage-over.ts';
import type { RunHistory } from '../run/history.ts';
import type { Replayed } from './design.ts';

/** `wanted`: null for all that were taken. Throws NothingToDecide. */
export function replayedOf(history: RunHistory, settings: RunSettings, wanted: readonly number[] | null): Replayed {
  const over = history.stages.filter(({ completed }) => completed !== null).map(({ stage }) => stage);
  const decided = history.stages.filter(({ adopted }) => adopted !== null).map(({ stage }) => stage);
  const missing = wanted?.find((stage) => !over.includes(stage));
  if (missing !== undefined) throw new NothingToDecide(history, missing, over);
  const stages = wanted ?? decided.filter((stage) => over.includes(stage));
  if (stages.length === 0) throw new NothingToDecide(history, null, over);
  return { run: history.run, name: nameOf(history), settings, history, stages: [...stages].sort((a, b) => a - b) };
}

/** Nothing was decided, or a stage is not over. */
export class NothingToDecide extends IcecoreError {
  override readonly name = 'NothingToDecide';

  constructor(history: RunHistory, stage: number | null, over: readonly number[]) {
    const name = nameOf(history);
    const there =
      over.length === 0
        ? 'none of its stages is'
        : `${over.length === 1 ? 'only stage 1 is' : `stages 1 to ${over.at(-1)} are`}`;
    super(
      'not-found',
      stage === null
        ? `nothing was decided in ${name}${over.length === 1 ? ', which has one stage' : ''}: there is nothing to decide otherwise`
        : `stage ${stage} of ${name} is not over: ${there}`,
      {
        facts: { run: history.run, stage, over },
        remedy:
          over.length === 0
            ? `Go on with it first: icecore resume ${shellWord(name)}`
            : stage === null
              ? `--decisions ${over.at(-1)} asks what arms would decide after its last stage; icecore fork ${shellWord(name)} --stages ${(over.at(-1) ?? 1) + 1} goes on with it.`
              : `--decisions all takes every decision that was taken; icecore show ${shellWord(name)} shows its stages.`,
      },
    );
  }
}

// What is trained on: instances as the configuration says, update after update, always the same for the same seed.
import type { LakeConfiguration } from '../../lake/configuration.ts';
import { Filling } from '../../lake/generator/filling.ts';
import { batchOf } from '../../lake/generator/generate.ts';
import type { Made } from '../../lake/generator/maker.ts';
import { slotsOf } from '../../lake/generator/orders.ts';
import type { Lesson } from './learner.ts';

/** More than any training takes. Shares are met by every beginning of the sequence. */
const endless = 2 ** 31;

export interface TrainingLesson extends Lesson {
  /** The group of knobs it belongs to. */
  readonly group: string;
}

/** `skipped` were learnt from before. */
export function* lessonsOf(
  configuration: LakeConfiguration,
  seed: string,
  skipped: number,
): Generator<TrainingLesson, void, undefined> {
  const { orders, wanted } = batchOf(configuration, endless, { split: 'train', seed });
  const filling = new Filling(wanted);
  let position = 0;
  for (const slot of slotsOf(orders)) {
    if (position++ < skipped) continue;
    const made = filling.take(slot);
    if (made !== null) yield lessonOf(made);
  }
}

function lessonOf({ instance, cost, kind }: Made): TrainingLesson {
  return { instance, cost, group: String(kind.size) };
}

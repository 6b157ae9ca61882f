// The declared contrasts task by task, where rollouts of their arms are recorded.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import type { Part } from '../../output/page/page.ts';
import type { Paint } from '../../output/paint.ts';
import { taskPairsParts } from '../../task-pairs.ts';

export function tasksParts({ tasks }: Ablated, paint: Paint): readonly Part[] {
  const pairs = tasks.map(({ factor, arm, reference, unit, ...one }) => ({
    ...one,
    contrast: `${factor === null ? '' : `${factor} `}${arm} against ${reference}`,
    seed: unit,
  }));
  return taskPairsParts(pairs, tasks[0]?.suites.join(', ') ?? '', paint);
}

// Rollouts as they were drawn: those that reasons lead to, and those that stand for what failed.
import type { DrawnFailure, Told } from '../../../../schemas/report-output.ts';
import type { WhyExemplar } from '../../../../schemas/why-output.ts';
import { type Block, code, type Drawn } from '../document.ts';
import { familyWords } from './words.ts';

const mostDrawings = 3;

/** Rollouts that reasons lead to; each is drawn where it is cited first. */
export function drawingBlocks(told: Told, story: readonly Told[]): readonly Block[] {
  const earlier = new Set(
    story
      .filter(({ stage }) => stage < told.stage)
      .flatMap(({ exemplars }) => exemplars.map(({ rollout }) => rollout.event)),
  );
  const drawings = told.exemplars
    .filter(({ drawing, rollout }) => drawing !== null && !earlier.has(rollout.event))
    .slice(0, mostDrawings)
    .map(exemplarDrawn);
  return drawings.length === 0 ? [] : [{ kind: 'drawings', drawings }];
}

function exemplarDrawn({
  evidenceId,
  family,
  class: failureClass,
  says,
  drawing,
  rollout,
  failures,
  stage,
}: WhyExemplar): Drawn {
  const step = failures[0]?.step ?? null;
  const how = [failureClass ?? 'a failure', step === null ? '' : ` in step ${step}`].join('');
  const whose = family === null ? '' : `, family ${family}`;
  return {
    title: [code(evidenceId), ` ${how}${whose}${stage === null ? '' : `, stage ${stage}`}`],
    says: says === null || drawing?.includes(says) === true ? null : says,
    drawing: drawing ?? '',
    from: `rollout ${rollout.stream === null ? rollout.event : `${rollout.stream}@${rollout.revision}`}`,
  };
}

export function failureDrawn({ evidenceId, family, class: failureClass, says, drawing, rollout }: DrawnFailure): Drawn {
  return {
    title: [code(evidenceId), ` ${failureClass ?? 'a failure'}, ${familyWords(family)}`],
    says: says === null || drawing.includes(says) ? null : says,
    drawing,
    from: `rollout ${rollout}`,
  };
}

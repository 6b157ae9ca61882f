// Recomputes the records of a training from its rollouts: rewards and figures. The divergence from the reference policy cannot be
// recomputed, because it is not recorded with the rollouts.

import type { EventData } from '../../schemas/catalogue.ts';
import { isObject } from '../../schemas/json-text.ts';
import type { AuditedTraining, TrainerAudit, TrainingFigures } from '../../src/library/plugins/tools.ts';
import { rewardOf } from './batches.ts';
import { type LearntFigures, TrainingRecord } from './progress.ts';

type Rollout = EventData['RolloutRecorded'];

export const audit: TrainerAudit = {
  rewardOf: (verdict, { bonus, stepPenalty }) =>
    rewardOf(verdict, {
      ...(typeof bonus === 'number' ? { bonus } : {}),
      ...(typeof stepPenalty === 'number' ? { stepPenalty } : {}),
    }),
  lastStep: (spent) => spent['updates'],
  figures,
};

async function figures({ configuration, budget, rollouts }: AuditedTraining): Promise<TrainingFigures> {
  const most = budget['agent-steps'] ?? 0;
  const course = new TrainingRecord(familiesOf(configuration), most);
  let taken: Lesson[] = [];
  let update = 0;
  let agentSteps = 0;
  const close = (): void => {
    agentSteps += taken.reduce((sum, one) => sum + one.agentSteps, 0);
    course.add(taken, update, agentSteps, agentSteps >= most);
    taken = [];
  };
  for await (const rollout of rollouts) {
    const { trainingStep: step = 0 } = rollout;
    if (step > update) {
      if (update > 0) close();
      update = step;
    }
    const last = taken.at(-1);
    if (last !== undefined && last.task === rollout.task?.id && (rollout.sample ?? 0) > 0) last.add(rollout);
    else taken.push(new Lesson(rollout));
  }
  if (update > 0) close();
  return { spent: { 'agent-steps': agentSteps, updates: update }, ...course.figures() };
}

function familiesOf(configuration: unknown): readonly string[] {
  const sizes = isObject(configuration) ? configuration['sizes'] : undefined;
  return isObject(sizes) ? Object.keys(sizes) : [];
}

/** The sample group of one task. */
class Lesson implements LearntFigures {
  readonly family: string;
  readonly task: string | undefined;
  readonly rewards: number[] = [];
  valid = 0;
  agentSteps = 0;
  entropy = 0;
  /** Not part of any rollout. */
  readonly kl = 0;

  constructor(rollout: Rollout) {
    this.family = rollout.family ?? '';
    this.task = rollout.task?.id;
    this.add(rollout);
  }

  add({ reward, agentSteps = 0, metrics = {} }: Rollout): void {
    const earned = typeof reward === 'number' ? reward : 0;
    const entropy = metrics['entropy'];
    this.rewards.push(earned);
    this.valid += Number(earned > 0);
    this.agentSteps += agentSteps;
    this.entropy += (typeof entropy === 'number' ? entropy : 0) * agentSteps;
  }
}

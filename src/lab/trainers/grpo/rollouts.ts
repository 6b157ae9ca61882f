// What the policy tried while it learnt from a lesson, as rollouts: judged as the lake judges, with the reward that was learnt
// from. There are very many of them: so each is written as the canonical JSON that is recorded, here in the thread that made
// it, and what follows from the rest is left out: failures in words, how the cost compares with the least, and why there is none.
import { canonicalJson } from '../../../../schemas/canonical.ts';
import { type Instance, pairOf } from '../../lake/instance.ts';
import { judge } from '../../lake/judge.ts';
import { stepsOf } from '../../lake/judge-course.ts';
import type { Failure, Judgement } from '../../lake/judgement.ts';
import { taskOf } from '../../lake/tasks.ts';
import { waitsIn } from '../../lake/verdict.ts';
import type { Walked } from '../../policies/neural/walk.ts';
import type { RolloutsInCommon } from '../trainer.ts';
import type { TrainingLesson } from './lessons.ts';

export interface LearntFrom {
  readonly lesson: TrainingLesson;
  /** The place of the lesson in its training: its rollouts are of one sample group. */
  readonly place: number;
  /** The number of the update, from 0. */
  readonly update: number;
  /** By sample. */
  readonly walks: readonly Walked[];
  readonly rewards: readonly number[];
}

/** As canonical JSON: members in the order of their names, numbers as they are written anyway. */
export function rolloutsOf(
  { environment, policy, seed, split }: RolloutsInCommon,
  { lesson, place, update, walks, rewards }: LearntFrom,
): string[] {
  const { made, family } = lesson;
  const { id, digest = made.digest, facts, instance: inline } = taskOf(made, 'train', place);
  const of = `"task":${canonicalJson({ digest, facts, id, inline })},"trainingStep":${update + 1}`;
  const by = `"environment":${canonicalJson(environment)}`;
  const policyText = canonicalJson(policy);
  const end = `${seed === undefined ? '' : `"seed":${canonicalJson(seed)},`}"split":"${split}"`;
  return walks.map((walked, sample) => {
    const { plan, agentSteps, entropy: sum } = walked;
    const { outcome, cost, steps, failures } = walked.isHome ? solvedBy(walked) : judge(made.instance, plan);
    const entropy = agentSteps === 0 ? 0 : sum / agentSteps;
    const metrics =
      cost === null
        ? `"entropy":${entropy},"optimal":0,"steps":${steps}`
        : `"cost":${cost},"entropy":${entropy},"optimal":${Number(cost === made.cost)},"steps":${steps}`;
    return (
      `{"agentSteps":${agentSteps},"answer":${JSON.stringify(plan)},${by},${failuresText(failures, made.instance)}` +
      `"family":${canonicalJson(family)},` +
      `"metrics":{${metrics},"waits":${waitsIn(plan)}},"outcome":"${outcome}","policy":${policyText},` +
      `"reward":${rewards[sample] ?? 0},"sample":${sample},${end},"success":${cost !== null},${of}}`
    );
  });
}

/** As `judge` judges a plan that solves its task: nothing failed, so that nothing has to be carried out again. */
function solvedBy({ plan, cost }: Walked): Judgement {
  const steps = plan.reduce((most, moves) => Math.max(most, stepsOf(moves)), 0);
  return { outcome: 'valid', cost, steps, failures: [] };
}

function failuresText(failures: readonly Failure[], { size }: Instance): string {
  const [first] = failures;
  if (first === undefined) return '';
  const texts = failures.map(({ class: name, step, agents, cell }) => {
    const at = cell === null ? 'null' : JSON.stringify(pairOf(cell, size));
    const when = step === 0 ? '' : `,"step":${step}`;
    return `{"class":"${name}","details":{"agents":[${agents.join()}],"cell":${at}}${when}}`;
  });
  return `"failureClass":"${first.class}","failures":[${texts.join()}],`;
}

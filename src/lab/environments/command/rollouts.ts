// The rollouts of a program that lets a policy play by itself: for every task in order, its samples in order.

import { sentence } from '../../programs/errors.ts';
import type { RolloutRequest } from '../environment.ts';
import type { Rollout } from '../verdict.ts';
import type { Fields, Program, Request } from './program.ts';
import { type Shaped, shapes } from './shapes.ts';
import type { Reading } from './streaming.ts';
import type { Verdicts } from './verdicts.ts';

export function rolloutRequest({ tasks, samples, policy, seed }: RolloutRequest): Request {
  const asked = tasks.map(({ id, instance }) => ({ id, instance }));
  return { do: 'rollout', tasks: asked, samples, policy, seed };
}

export function rolloutsOf({ tasks, samples }: RolloutRequest, verdicts: Verdicts): Reading<Rollout, void> {
  let count = 0;
  return {
    item(fields, program) {
      const { task: id, verdict, ...said } = saidRollout(fields, program);
      const task = tasks[Math.floor(count / samples)];
      const sample = count % samples;
      if (task === undefined) throw program.nonsense(`more than the ${count} rollouts asked for`, fields);
      if (task.id !== id || sample !== said.sample) {
        throw program.nonsense(`a rollout out of turn, where sample ${sample} of task ${task.id} comes`, fields);
      }
      count += 1;
      return { ...said, task, verdict: verdicts.sensible(verdict, 'rollout.verdict', fields, program) } as Rollout;
    },
    end(fields, program) {
      const issues = shapes.end.issues(fields);
      if (issues.length > 0) throw program.nonsense(sentence(issues), fields, issues);
      const wanted = tasks.length * samples;
      if (count < wanted) throw program.nonsense(`${count} rollouts where ${wanted} were asked for`, fields);
    },
  };
}

function saidRollout(fields: Fields, program: Program): Shaped<typeof shapes.rollout>['rollout'] {
  const issues = shapes.rollout.issues(fields);
  if (issues.length > 0) throw program.nonsense(sentence(issues), fields, issues);
  return (fields as Shaped<typeof shapes.rollout>).rollout;
}

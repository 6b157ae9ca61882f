// Judges the plan of a line.
import type { LakeJudged } from '../../../../schemas/lake-output.ts';
import { withoutThoughts } from '../../models/answers.ts';
import { type Instance, NotAnInstance, pairOf } from '../instance.ts';
import { judge } from '../judge.ts';
import type { Failure } from '../judgement.ts';
import { shown } from '../line-shown.ts';
import { spokenPlan } from '../spoken-plan.ts';
import type { Fields } from './duty.ts';
import { Optima } from './optima.ts';

export class Judging {
  readonly #optima: Optima;

  constructor(effort: number) {
    this.#optima = new Optima(effort);
  }

  answer(instance: Instance, line: Fields): LakeJudged {
    const { outcome, cost, failures } = judge(instance, planIn(line), isTruncated(line));
    return {
      id: instance.id ?? null,
      outcome,
      cost,
      optimal: cost === null ? null : this.#optima.isOptimal(instance, cost),
      failures: failures.map((failure) => told(failure, instance.size)),
    };
  }
}

/** A plan may be anything, and be judged for it. That there is none at all is no fault of whoever planned. */
function planIn(line: Fields): unknown {
  if ('answer' in line) return planSaid(line);
  if ('plan' in line) return line['plan'];
  throw new NotAnInstance('plan', 'nothing', 'anything; null where there was no answer');
}

/** Found in what was said as it is where a policy that speaks is evaluated: what is rewarded in training counts later. */
function planSaid({ answer, ...line }: Fields): unknown {
  if ('plan' in line) throw new NotAnInstance('answer', 'a plan beside it', 'one of both');
  if (typeof answer !== 'string') throw new NotAnInstance('answer', shown(answer), 'the text that was said');
  return spokenPlan(withoutThoughts(answer).text);
}

function isTruncated({ truncated = false }: Fields): boolean {
  if (typeof truncated === 'boolean') return truncated;
  throw new NotAnInstance('truncated', shown(truncated), 'true or false');
}

function told({ class: name, step, agents, cell, words }: Failure, size: number): LakeJudged['failures'][number] {
  const place = cell === null ? null : pairOf(cell, size);
  const failure = { class: name, step, agents: [...agents], cell: place as [number, number] | null };
  return words === undefined ? failure : { ...failure, words };
}

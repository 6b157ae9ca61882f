// What was replayed, how deep, and how far it is.

import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { listed } from '../../../base/listed.ts';
import { money } from '../../output/money.ts';
import { note, type Part } from '../../output/page/page.ts';
import { count, counted, duration } from '../../output/quantity.ts';
import { matrixOf } from './cells.ts';

const depths = {
  propose: 'decided anew, nothing trained',
  train: 'decided anew, one stage trained',
  run: 'decided anew up to the last stage',
} as const;

export function depthText(depth: Ablated['depth']): string {
  return `depth ${depth}: ${depths[depth]}`;
}

type Replayed = Pick<Ablated, 'name' | 'ablation' | 'depth' | 'histories'>;

export function titleOf({ name, ablation, depth, histories }: Replayed): string {
  return `Ablation ${name ?? ablation} of ${listed(histories.map((one) => one.name))}, ${depthText(depth)}`;
}

export function headlineParts(ablated: Ablated): readonly Part[] {
  const { says } = ablated;
  return [
    ...(says === null ? [] : [{ kind: 'text', text: says, tone: 'plain' } as const]),
    note(`${replayedText(ablated)} ${armsText(ablated)}${spentText(ablated)}`),
    ...underWay(ablated),
  ];
}

export function replayedText({ histories, units }: Pick<Ablated, 'histories' | 'units'>): string {
  const stages = [...new Set(histories.map((one) => stagesText(one.stages)))];
  const after = stages.length === 1 ? `after ${stages[0]}` : 'after stages of their own';
  const runs = histories.length === 1 ? '' : ` of ${count(histories.length)} runs`;
  return `Decided anew ${after}${runs}, in ${counted(units.length, 'seed')}.`;
}

function stagesText(stages: readonly number[]): string {
  const [first = 1, last = first] = [stages[0], stages.at(-1)];
  if (stages.length === 1) return `stage ${first}`;
  const isRange = last - first === stages.length - 1;
  return `stages ${isRange ? `${first} to ${last}` : stages.join(', ')}`;
}

export function armsText({ arms }: Pick<Ablated, 'arms'>): string {
  const { contexts, engineers, beside } = matrixOf({ arms });
  const shown =
    contexts.length === 0
      ? ''
      : `: ${counted(contexts.length, 'context')} by ${counted(engineers.length, 'engineer')}, and ${count(beside.length)} to hold against them`;
  return `${counted(arms.length, 'arm')}${shown}.`;
}

function spentText({ spent, cost, trainings }: Ablated): string {
  const seconds = trainings.reduce((sum, one) => sum + (one.seconds ?? 0), 0);
  const parts = [
    ...Object.entries(spent).map(([unit, amount]) => `${count(amount)} ${unit}`),
    ...(seconds === 0 ? [] : [`${duration(seconds)} of training`]),
    ...Object.entries(cost).map(([currency, amount]) => money(amount, currency)),
  ];
  return parts.length === 0 ? '' : ` Spent: ${parts.join(', ')}.`;
}

function underWay({ state, depth, decisions, arms, units, histories }: Ablated): readonly Part[] {
  if (state === 'completed') return [];
  // An arm that goes on decides at every later stage: counted is whether it has come to its end.
  const begun = histories.map(({ run, stages }) => ({ run, stages: depth === 'run' ? stages.slice(0, 1) : stages }));
  const stages = new Map(begun.map((one) => [one.run, one.stages.length]));
  const isBegun = ({ run, stage, came }: Ablated['decisions'][number]): boolean =>
    came !== 'errored' && begun.some((one) => one.run === run && one.stages.includes(stage));
  const all = arms.length * units.reduce((sum, { run }) => sum + (stages.get(run) ?? 0), 0);
  const text = `Under way: ${count(decisions.filter(isBegun).length)} of ${counted(all, 'decision')} are there. What follows is of these only.`;
  return [{ kind: 'text', text, tone: 'warning' }];
}

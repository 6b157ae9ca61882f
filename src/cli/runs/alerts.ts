// What a person should look at, a line each.
import type { StageRow } from '../../../schemas/run-output.ts';
import { count, short } from '../output/quantity.ts';
import { visible } from '../output/visible.ts';

type Alert = StageRow['alerts'][number];

export function alertLines(stages: readonly Pick<StageRow, 'stage' | 'alerts' | 'overspent'>[]): readonly string[] {
  return stages.flatMap(({ stage, alerts, overspent }) =>
    [...overspent.map(overspentText), ...alerts.map(alertText)].map((text) => visible(`stage ${stage}: ${text}`)),
  );
}

function overspentText({ unit, budget, spent }: StageRow['overspent'][number]): string {
  return `training took ${count(spent)} ${unit}, beyond its budget of ${count(budget)}`;
}

const kinds = {
  'signal-collapse': 'the learning signal collapsed',
  forgetting: 'what was mastered is being forgotten',
};

export function alertText({ kind, family, measure, before, now, message }: Alert): string {
  const where = family === null ? '' : ` in ${family}`;
  const words = message === undefined || message === '' ? '' : `. ${message}`;
  return `${kinds[kind]}${where}: ${measure} ${numberText(before)} → ${numberText(now)}${words}`;
}

function numberText(score: Alert['before']): string {
  return typeof score === 'number' ? short(Number(score.toPrecision(3))) : score.reason;
}

// Arms that have no result and why, and how to go on from here.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { note, type Part } from '../../output/page/page.ts';
import { standingsOf } from './standing.ts';

export function unfinishedParts({ unfinished }: Ablated): readonly Part[] {
  if (unfinished.length === 0) return [];
  return [
    { kind: 'heading', text: 'Unfinished' },
    { kind: 'list', items: unfinished.map(({ arm, why }) => `${arm}: ${why}`), tone: 'warning' },
  ];
}

export function nextParts(ablated: Ablated): readonly Part[] {
  const { state } = ablated;
  return [
    { kind: 'heading', text: 'Going on' },
    note(
      state === 'completed'
        ? 'The same command shows this again; nobody is asked anew.'
        : 'The same command goes on where it stopped; nobody is asked anew.',
    ),
    ...(state === 'completed' ? [{ kind: 'code', text: `icecore sql "${queryOf(ablated)}"` } as const] : []),
  ];
}

/** A name that needs no quoting anywhere. */
const plainName = /^[\w.-]{1,32}$/;

function queryOf(ablated: Ablated): string {
  const { name, ablation } = ablated;
  const which = name !== null && plainName.test(name) ? `ablation_name = '${name}'` : `ablation = '${ablation}'`;
  const measure = standingsOf(ablated)?.measure.measure ?? '';
  const one = plainName.test(measure) ? ` AND measure = '${measure}'` : '';
  return `SELECT arm, value, low, high, units FROM arm_results
  WHERE ${which}${one}
    AND statistic = 'mean'
  ORDER BY value DESC`;
}

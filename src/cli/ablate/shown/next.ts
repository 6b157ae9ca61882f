// Arms that an error kept from their end and why, and how to go on from here.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { note, type Part } from '../../output/page/page.ts';
import { standingsOf } from './standing.ts';

export function erroredParts({ errored }: Ablated): readonly Part[] {
  if (errored.length === 0) return [];
  return [
    { kind: 'heading', text: 'Errored' },
    { kind: 'list', items: errored.map(({ arm, reason }) => `${arm}: ${reason}`), tone: 'warning' },
    note('An error is no answer: these arms enter no mean, no ranking and no contrast.'),
  ];
}

export function nextParts(ablated: Ablated): readonly Part[] {
  const { state, errored } = ablated;
  const left = errored.length === 0 ? 'goes on where it stopped' : 'tries the errored arms again';
  return [
    { kind: 'heading', text: 'Going on' },
    note(
      state === 'completed'
        ? 'The same command shows this again; nobody is asked anew.'
        : `The same command ${left}; what was decided is not asked anew.`,
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

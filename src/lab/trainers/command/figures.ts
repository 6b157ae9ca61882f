// Contradictions between the figures that a training program reports, which no schema of a single field can rule out.
import { duplicateNames } from '../../../../schemas/duplicate-names.ts';
import { found, type Issue } from '../../../../schemas/errors.ts';
import { isShareOf, reportedRounding } from '../../../base/reported-share.ts';
import type { Trained } from '../trainer.ts';

type Signal = Trained['signal'][number];
type Sampled = Trained['sampled'][number];

/** Shares that have a meaning for icecore, of all tasks or of a family: `valid`, `valid/8`. */
const shareName = /^(?:valid|optimal|signal)(?:\/.+)?$/s;

/** `values` are figures by name; a figure without a number has a reason instead. */
export function valueIssues(values: Readonly<Record<string, unknown>>, at: string): Issue[] {
  return Object.entries(values).flatMap(([figure, value]) => {
    if (typeof value !== 'number' || !shareName.test(figure) || (value >= 0 && value <= 1)) return [];
    const field = /^\w+$/.test(figure) ? `${at}.${figure}` : `${at}[${JSON.stringify(figure)}]`;
    return [{ field, found: found(value), allowed: 'a share from 0 to 1' }];
  });
}

export function signalIssues(signals: readonly Signal[], at: string): Issue[] {
  const names = signals.map(({ family }, i) => ({ name: family ?? '(all families)', field: `${at}[${i}].family` }));
  return [
    ...duplicateNames(names, 'each family once'),
    ...signals.flatMap((signal, i) => shareIssues(signal, `${at}[${i}]`)),
    ...totalIssues(signals, at),
  ];
}

function shareIssues({ sampleGroups, withVariance, share }: Signal, at: string): Issue[] {
  if (withVariance > sampleGroups) {
    const allowed = `at most ${sampleGroups}, its sampleGroups`;
    return [{ field: `${at}.withVariance`, found: String(withVariance), allowed }];
  }
  if (typeof share !== 'number' || sampleGroups === 0) return [];
  if (isShareOf(share, withVariance, sampleGroups)) return [];
  const right = withVariance / sampleGroups;
  return [{ field: `${at}.share`, found: String(share), allowed: `${right}, withVariance divided by sampleGroups` }];
}

/** Those of all families include those of each. */
function totalIssues(signals: readonly Signal[], at: string): Issue[] {
  const i = signals.findIndex(({ family }) => family === null);
  const total = signals[i];
  if (total === undefined) return [];
  return (['sampleGroups', 'withVariance'] as const).flatMap((count) => {
    const sum = signals.reduce((sum, signal) => (signal.family === null ? sum : sum + signal[count]), 0);
    if (total[count] >= sum) return [];
    return [
      {
        field: `${at}[${i}].${count}`,
        found: String(total[count]),
        allowed: `at least ${sum}, the sum of the families`,
      },
    ];
  });
}

export function sampledIssues(sampled: readonly Sampled[], at: string): Issue[] {
  const names = sampled.map(({ family }, i) => ({ name: family, field: `${at}[${i}].family` }));
  const sum = sampled.reduce((sum, { share }) => sum + share, 0);
  return [
    ...duplicateNames(names, 'each family once'),
    ...(sum > 1 + reportedRounding * sampled.length
      ? [{ field: at, found: `shares that add up to ${Number(sum.toFixed(4))}`, allowed: 'at most 1 in total' }]
      : []),
  ];
}

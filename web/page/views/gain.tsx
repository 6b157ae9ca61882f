// A rate before and after, with what their intervals allow to say.

import type { Rate as RateValue } from '../../../schemas/run-output.ts';
import type { Source } from '../menu.tsx';
import { Rate } from '../parts.tsx';
import { pointsWords } from '../words.ts';

interface GainProps {
  readonly before: RateValue;
  readonly after: RateValue;
  readonly sources?: { readonly before?: Source; readonly after?: Source };
  /** Null: one of the intervals is unknown. */
  readonly overlap?: boolean | null;
}

export function Gain({ before, after, sources = {}, overlap = overlapOf(before, after) }: GainProps) {
  if (before.value === null || after.value === null) return <Rate rate={after} source={sources.after} />;
  const gain = after.value - before.value;
  const certain = overlap !== false ? '' : gain < 0 ? 'bad' : 'good';
  return (
    <span class="gain">
      <Rate rate={before} source={sources.before} /> → <Rate rate={after} source={sources.after} />{' '}
      <strong class={`number ${certain}`}>{pointsWords(gain)}</strong>
      {overlap !== null && <span class="quiet"> ({overlap ? 'intervals overlap' : 'intervals apart'})</span>}
    </span>
  );
}

function overlapOf(one: RateValue, other: RateValue): boolean | null {
  if (one.low === null || one.high === null || other.low === null || other.high === null) return null;
  return one.low <= other.high && other.low <= one.high;
}

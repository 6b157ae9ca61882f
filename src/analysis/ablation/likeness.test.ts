import { expect, it } from 'vitest';
import type { AblationRecord } from '../../producers/ablation/record.ts';
import { likenessIn } from './conclude.ts';

const knobs = (...values: readonly number[]) =>
  values.map((value, i) => ({ knob: `${i}.hole`, family: `${i}`, value }));

/** Knob values by arm; null: its answer was rejected. */
function recordOf(arms: Readonly<Record<string, readonly number[] | null>>): AblationRecord {
  const all = Object.entries(arms).map(([arm, values]) => ({
    place: { arm, unit: '1', stage: 1 },
    data: values === null ? {} : { configuration: { digest: values.join(), whole: {}, knobs: knobs(...values) } },
  }));
  const named = (isUsable: boolean) =>
    new Map(all.filter(({ data }) => 'configuration' in data === isUsable).map((one) => [one.place.arm, one]));
  const started = { data: { arms: Object.keys(arms).map((arm) => ({ arm })) } };
  return { started, proposals: named(true), rejections: named(false) } as unknown as AblationRecord;
}

it('the distance of two arms is the number of knobs that their decisions set differently', () => {
  expect(likenessIn(recordOf({ a: [0.1, 0.2], b: [0.1, 0.3], c: [0.1, 0.2] }), [])).toEqual([
    { arm: 'a', other: 'b', knobs: 1, same: false },
    { arm: 'a', other: 'c', knobs: 0, same: true },
    { arm: 'b', other: 'c', knobs: 1, same: false },
  ]);
});

it('an arm whose answers were rejected has no distance to any other', () => {
  expect(likenessIn(recordOf({ a: [0.1], b: null, c: null }), [])).toEqual([]);
});

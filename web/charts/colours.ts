// The colours of charts, as names that a page gives values to, by day and by night; beside each the value where none does.
// The series are told apart by colour-blind eyes and are dark, or light, enough to be read as text.

export const ink = 'var(--ink, currentColor)';
export const page = 'var(--page, Canvas)';
/** The far end of a ramp: what is nothing is the page itself. */
export const heat = 'var(--heat, #113b85)';
/** The end of the other ramp, for what is worse than its baseline. */
export const heatWorse = 'var(--heat-worse, #7e2207)';
/** Texts on a ramp: below its turn, and above. Both have a contrast of 4.5 and more, with these colours and at this turn only. */
export const onPale = 'var(--on-pale, #000000)';
export const onHeat = 'var(--on-heat, #ffffff)';
export const heatTurn = 0.7;
export const alarm = 'var(--alarm, #b3261e)';
export const accent = 'var(--series-1, #1f4fe0)';
const rest = 'var(--series-rest, #6b7783)';

const series = [
  accent,
  'var(--series-2, #a85a00)',
  'var(--series-3, #84247a)',
  'var(--series-4, #00602a)',
  'var(--series-5, #0b7496)',
  'var(--series-6, #c41f78)',
  'var(--series-7, #7830cc)',
] as const;

/** What comes after those that can be told apart is drawn as the rest. */
export function colourOf(index: number): string {
  return series[index] ?? rest;
}

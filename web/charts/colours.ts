// The colours of charts as CSS variables that a page defines for its light and dark theme, each with a default.
// The series can be distinguished by colour-blind people and have enough contrast for text.

export const ink = 'var(--ink, currentColor)';
export const page = 'var(--page, Canvas)';
/** The far end of a ramp, which starts at the colour of the page. */
export const heat = 'var(--heat, #113b85)';
/** The end of the other ramp, for values worse than their baseline. */
export const heatWorse = 'var(--heat-worse, #7e2207)';
/** Text on a ramp, below and above `heatTurn`. The contrast is at least 4.5 only with these colours and this value. */
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

/** Series beyond the distinguishable colours all get the colour of the rest. */
export function colourOf(index: number): string {
  return series[index] ?? rest;
}

// Beliefs by reckoning with what a context shows, and with nothing else: how often tasks are solved, and how many
// comparisons had something to teach.
import { type Belief, percent, spread, works } from './belief.ts';
import type { Evidence, Figure, GroupEvidence } from './evidence.ts';
import { forgotten } from './lessons.ts';

/** A share with a wider interval than this was counted of so few comparisons that it says nothing. */
const vague = 0.4;

/** What was solved once, and is not any more, is worth at least this. */
const recall = 0.75;

export function reckoned(group: string, evidence: Evidence): Belief {
  const shown = evidence.of(group);
  const solved = solvedIn(shown);
  const signal = shown.signal !== null && (shown.signal.width ?? 0) <= vague ? shown.signal : null;
  const lost = forgotten(shown.trials);
  const worths = [
    ...(solved === null ? [] : [spread(solved.figure.value)]),
    ...(signal === null ? [] : [signal.value]),
  ];
  const worth = worths.length === 0 ? null : worths.reduce((sum, one) => sum + one, 0) / worths.length;
  return {
    group,
    rate: solved?.figure.value ?? null,
    worth: lost === null || worth === null ? worth : Math.max(worth, recall),
    works: lost === null && solved !== null && works(solved.figure),
    because: [
      ...(solved?.because ?? []),
      ...(signal === null ? [] : [signal.label]),
      ...(lost === null ? [] : [lost.best.label, lost.last.label]),
    ],
    says: [
      ...(solved === null ? [] : [`${percent(solved.figure.value)} of its tasks are solved`]),
      ...(signal === null ? [] : [`${percent(signal.value)} of the comparisons in training had something to teach`]),
      ...(lost === null ? [] : [`it was better once: ${percent(lost.best.value)}, now ${percent(lost.last.value)}`]),
    ].join('; '),
  };
}

/** As it was counted; else what is left when failures are taken away; else as it was after the stage. */
export function solvedIn({
  solved,
  ways,
  trials,
}: GroupEvidence): { readonly figure: Figure; readonly because: readonly string[] } | null {
  if (solved !== null) return { figure: solved, because: [solved.label] };
  const [most] = ways;
  if (most !== undefined) {
    const value = Math.max(0, 1 - ways.reduce((sum, way) => sum + way.value, 0));
    const because = ways.map(({ label }) => label);
    return { figure: { label: most.label, value, count: null, of: most.of, width: null }, because };
  }
  const last = trials.at(-1)?.solved ?? null;
  return last === null ? null : { figure: last, because: [last.label] };
}

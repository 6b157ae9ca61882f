// Beliefs by reckoning with what a context shows, and with nothing else: how often tasks are solved, and how many
// comparisons had something to teach.
import type { Descriptor } from '../../../../schemas/environment.ts';
import { type Belief, percent, spread, works } from './belief.ts';
import type { Evidence, Figure, GroupEvidence } from './evidence.ts';
import { forgotten } from './lessons.ts';

/** A share with a wider interval than this was counted of so few comparisons that it says nothing. */
const vague = 0.4;

/** What was solved once, and is not any more, is worth at least this. */
const recall = 0.75;

/** Few tasks say little: a rate counts as if so many more had been tried, and solved as often as those of all groups. */
const doubt = 8;

/** Of all groups, in the order of the descriptor. */
export function reckoned({ groups }: Descriptor, evidence: Evidence): Belief[] {
  const rates = groups.flatMap(({ group }) => solvedIn(evidence.of(group))?.figure.value ?? []);
  const usual = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  return groups.map(({ group }) => beliefOn(group, evidence, usual));
}

function beliefOn(group: string, evidence: Evidence, usual: number): Belief {
  const shown = evidence.of(group);
  const solved = solvedIn(shown);
  const rate = solved === null ? null : doubted(solved.figure, usual);
  const signal = shown.signal !== null && (shown.signal.width ?? 0) <= vague ? shown.signal : null;
  const lost = forgotten(shown.trials);
  const worths = [...(rate === null ? [] : [spread(rate)]), ...(signal === null ? [] : [signal.value])];
  const worth = worths.length === 0 ? null : worths.reduce((sum, one) => sum + one, 0) / worths.length;
  return {
    group,
    rate,
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

function doubted({ value, of }: Figure, usual: number): number {
  return of === null ? value : (value * of + usual * doubt) / (of + doubt);
}

/**
 * Where nothing else says what a group teaches, how failures are spread: what fails more often than others, of a pool that
 * has all groups alike, is harder, and what fails half as often as the hardest teaches most. How often a group is solved
 * does not follow from that.
 */
export function withSpread(beliefs: readonly Belief[], evidence: Evidence): Belief[] {
  const failed = (group: string): number => evidence.of(group).ways[0]?.of ?? 0;
  const most = Math.max(...beliefs.map(({ group }) => failed(group)));
  return beliefs.map((belief) => {
    const count = failed(belief.group);
    if (belief.worth !== null || count === 0) return belief;
    return {
      ...belief,
      worth: spread(count / most),
      because: [...belief.because, ...evidence.of(belief.group).ways.map(({ label }) => label)],
      says:
        count === most
          ? `${count} of its tries failed, the most of all`
          : `${count} of its tries failed, where most did ${most}`,
    };
  });
}

/** As it was counted; else as it was after the stage. */
export function solvedIn({
  solved,
  trials,
}: GroupEvidence): { readonly figure: Figure; readonly because: readonly string[] } | null {
  if (solved !== null) return { figure: solved, because: [solved.label] };
  const last = trials.at(-1)?.solved ?? null;
  return last === null ? null : { figure: last, because: [last.label] };
}

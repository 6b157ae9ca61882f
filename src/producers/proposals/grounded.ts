// Whether the changes of a proposal rest on evidence: a change does as far as what it cites concerns what it turns.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Score } from '../../lab/environments/verdict.ts';
import { figure } from '../summaries/summary.ts';

/** What may be cited, by label. */
export type Labels = EventData['ContextRecorded']['labels'];

type Cited = Pick<EventData['ProposalRecorded']['changes'][number], 'group' | 'because'>;

/** Evidence of all groups for a knob of one group, or of one group for a knob that concerns all, says something of it. */
const inPart = 0.5;

/** The mean over all changes; null where nothing was changed, or nothing shown that could have been cited. */
export function grounded(changes: readonly Cited[], labels: Labels | null): Score {
  if (labels === null || Object.keys(labels).length === 0) return { value: null, reason: 'nothing could be cited' };
  if (changes.length === 0) return { value: null, reason: 'nothing was changed' };
  const sum = changes.reduce((all, change) => all + groundOf(change, labels), 0);
  return figure(sum / changes.length);
}

/**
 * How much of what a change cites concerns its group, so that every stray citation costs; times the share of what concerns
 * other groups that it left alone, so that who cites everything is left with nothing. Citing twice is citing once.
 */
function groundOf({ group, because }: Cited, labels: Labels): number {
  const cited = [...new Set(because ?? [])];
  if (cited.length === 0) return 0;
  const concern = cited.reduce((sum, label) => sum + concernOf(label, group, labels), 0) / cited.length;
  const strange = Object.keys(labels).filter((label) => concernOf(label, group, labels) === 0);
  if (strange.length === 0) return concern;
  const strangeCited = strange.filter((label) => cited.includes(label)).length;
  return concern * (1 - strangeCited / strange.length);
}

/** From 0 to 1; a label that there is not concerns nothing. */
function concernOf(label: string, group: string | null, labels: Labels): number {
  const evidence = Object.hasOwn(labels, label) ? labels[label] : undefined;
  if (evidence === undefined) return 0;
  if (evidence.group === group) return 1;
  return evidence.group === null || group === null ? inPart : 0;
}

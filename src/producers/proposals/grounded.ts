// Whether the changes of a proposal rest on evidence: a change does as far as what it cites concerns what it turns.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Score } from '../../lab/environments/verdict.ts';
import { figure } from '../summaries/summary.ts';

/** What may be cited, by label. */
export type Labels = EventData['ContextRecorded']['labels'];

type Cited = Pick<EventData['ProposalRecorded']['changes'][number], 'group' | 'because'>;

/** Evidence of all groups for a knob of one group, or of one group for a knob that concerns all, says something of it. */
const inPart = 0.5;

/** Modules that tell what the policy did. What is to be done and what the policy says of itself is no evidence. */
const evident: ReadonlySet<string> = new Set(['behaviour', 'failures', 'training', 'stats']);

/** The mean over all changes; null where nothing was changed, or nothing shown that could have been cited. */
export function grounded(changes: readonly Cited[], labels: Labels | null): Score {
  const evidence = evidenceIn(labels ?? {});
  if (evidence.size === 0) return { value: null, reason: 'nothing could be cited' };
  if (changes.length === 0) return { value: null, reason: 'nothing was changed' };
  const sum = changes.reduce((all, change) => all + groundOf(change, evidence), 0);
  return figure(sum / changes.length);
}

/** The group that each label is about which is evidence. */
type Evidence = ReadonlyMap<string, string | null>;

function evidenceIn(labels: Labels): Evidence {
  const all = Object.entries(labels).filter(([label, shown]) => isEvidence(label, shown));
  return new Map(all.map(([label, { group }]) => [label, group]));
}

/** Of a history it is what came of a stage, `H1.8.valid`; not what its knobs were set to. */
export function isEvidence(label: string, { module }: Pick<Labels[string], 'module'>): boolean {
  return evident.has(module) || (module === 'history' && /\.valid(~\d+)?$/.test(label));
}

/**
 * How much of what a change cites concerns its group, so that every stray citation costs; times the share that it left
 * alone of what it had no reason to cite, so that who cites everything is left with nothing. Citing twice is citing once.
 */
function groundOf({ group, because }: Cited, evidence: Evidence): number {
  const cited = [...new Set(because ?? [])];
  if (cited.length === 0) return 0;
  const concern = cited.reduce((sum, label) => sum + concernOf(label, group, evidence), 0) / cited.length;
  return concern * (group === null ? sparing(cited, evidence) : leftAlone(cited, group, evidence));
}

/** Of what concerns other groups. */
function leftAlone(cited: readonly string[], group: string, evidence: Evidence): number {
  const strange = [...evidence.keys()].filter((label) => concernOf(label, group, evidence) === 0);
  return strange.length === 0 ? 1 : 1 - strange.filter((label) => cited.includes(label)).length / strange.length;
}

/** To a knob that concerns all groups nothing is strange: one citation is free, and each other one of as many costs. */
function sparing(cited: readonly string[], evidence: Evidence): number {
  const others = cited.filter((label) => evidence.has(label)).length - 1;
  return others < 1 ? 1 : 1 - others / (evidence.size - 1);
}

/** From 0 to 1; what is no evidence concerns nothing. */
function concernOf(label: string, group: string | null, evidence: Evidence): number {
  const about = evidence.get(label);
  if (about === undefined) return 0;
  if (about === group) return 1;
  return about === null || group === null ? inPart : 0;
}

// The citation score: how far a proposal's changes rest on evidence, beyond what evidence ids drawn at random from the same
// context would give. Who cites at random, always the same or everything scores 0 on average, without being recognised.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Score } from '../../lab/environments/environment.ts';
import { summaryModules } from '../summaries/modules.ts';
import { figure } from '../summaries/summary.ts';

/** What may be cited, by evidence id. */
export type EvidenceIds = EventData['ContextRecorded']['evidenceIds'];

export type Cited = Pick<EventData['ProposalRecorded']['changes'][number], 'family' | 'cites'>;

/** Modules that tell what the policy did. What is to be done and what the policy says of itself is no evidence. */
const evident: ReadonlySet<string> = new Set(summaryModules);

/**
 * (observed - expected) / (1 - expected): observed is the mean, over changes, of the share of the evidence cited that bears on
 * the change, expected what that mean would be were as many ids drawn at random. Null where chance alone is always right, and
 * where there is nothing to score.
 */
export function citationScore(changes: readonly Cited[], evidenceIds: EvidenceIds | null): Score {
  const evidence = evidenceIn(evidenceIds ?? {});
  if (evidence.size === 0) return { value: null, reason: 'nothing could be cited' };
  if (changes.length === 0) return { value: null, reason: 'nothing was changed' };
  const citations = changes.map((change) => citationOf(change, evidence, evidenceIds ?? {}));
  const observed = citations.reduce((sum, { bearing }) => sum + bearing, 0);
  const expected = citations.reduce((sum, { chance }) => sum + chance, 0);
  const room = changes.length - expected;
  if (room < 1e-9) return { value: null, reason: 'any evidence shown bears on what was changed' };
  return figure((observed - expected) / room);
}

/** The share of the evidence cited for one change that bears on it; null where nothing could be cited. */
export function bearingOf(change: Cited, evidenceIds: EvidenceIds | null): number | null {
  const evidence = evidenceIn(evidenceIds ?? {});
  return evidence.size === 0 ? null : figure(citationOf(change, evidence, evidenceIds ?? {}).bearing);
}

/** The family that each evidence id is about. */
type Evidence = ReadonlyMap<string, string | null>;

function evidenceIn(evidenceIds: EvidenceIds): Evidence {
  const all = Object.entries(evidenceIds).filter(([evidenceId, shown]) => isEvidence(evidenceId, shown));
  return new Map(all.map(([evidenceId, { family }]) => [evidenceId, family]));
}

/** Of a history it is what came of a stage, `H1.8.valid`; not what its knobs were set to. */
export function isEvidence(evidenceId: string, { module }: Pick<EvidenceIds[string], 'module'>): boolean {
  return evident.has(module) || (module === 'history' && /\.valid(~\d+)?$/.test(evidenceId));
}

interface Citation {
  /** The share of what is cited that bears on the change; 0 where nothing is cited. */
  readonly bearing: number;
  /** What that share would be on average, were as many ids drawn at random. */
  readonly chance: number;
}

/**
 * On a knob of a family bears what is of that family; what is of all families, and what is no evidence, is passed over. On a knob
 * of all families any evidence bears. An id that was not shown is cited and bears on nothing.
 */
function citationOf({ family, cites }: Cited, evidence: Evidence, evidenceIds: EvidenceIds): Citation {
  const cited = [...new Set(cites ?? [])];
  const pool = [...evidence].filter(([, about]) => family === null || about !== null);
  const bearing = new Set(
    pool.filter(([, about]) => family === null || about === family).map(([evidenceId]) => evidenceId),
  );
  const drawn = cited.filter((evidenceId) => pool.some(([one]) => one === evidenceId));
  const all = drawn.length + cited.filter((evidenceId) => !Object.hasOwn(evidenceIds, evidenceId)).length;
  if (all === 0) return { bearing: 0, chance: 0 };
  const right = drawn.filter((evidenceId) => bearing.has(evidenceId)).length;
  // However many are drawn from `pool` without replacement, this share of them is right on average.
  const share = pool.length === 0 ? 0 : bearing.size / pool.length;
  return { bearing: right / all, chance: (share * drawn.length) / all };
}

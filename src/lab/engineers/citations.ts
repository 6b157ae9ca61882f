// The evidence ids that a proposal cites: only those of the context that was shown can be cited. What else is named is
// no evidence and is not recorded as such, but it is said beside that it was named.
import type { Issue } from '../../../schemas/errors.ts';
import { nearestNames, perhaps } from '../../../schemas/nearest.ts';
import type { Content } from './content.ts';
import type { Reason } from './engineer.ts';

/** Of more than this the number is told. */
const mostTold = 20;

/** Longer ones are no evidence id of anything. */
const longestEvidenceId = 60;

/** Each that is none, with where it stands. */
export function inventedEvidenceIds({ reasons, kept }: Content, evidenceIds: ReadonlySet<string>): Issue[] {
  const lists = { reasons, kept: kept ?? [] };
  const invented = Object.entries(lists).flatMap(([list, all]) =>
    all.flatMap(({ cites }, i) =>
      (cites ?? []).flatMap((evidenceId, j) =>
        evidenceIds.has(evidenceId) ? [] : [{ evidenceId, field: `${list}[${i}].cites[${j}]` }],
      ),
    ),
  );
  return invented.slice(0, mostTold).map(({ evidenceId, field }) => ({
    field,
    found: shown(evidenceId),
    allowed: allowedFor(evidenceId, evidenceIds),
  }));
}

function allowedFor(evidenceId: string, evidenceIds: ReadonlySet<string>): string {
  if (evidenceIds.size === 0) return 'no evidence id, as nothing was shown that has one';
  const near = evidenceId.length > longestEvidenceId ? [] : nearestNames(evidenceId, evidenceIds);
  return near.length > 0 ? `an evidence id of what was shown, ${perhaps(near)}` : 'an evidence id of what was shown';
}

/** The same with those evidence ids alone that can be cited; reasons that named others say so. */
export function withoutInvented(content: Content, evidenceIds: ReadonlySet<string>): Content {
  const mended = (reason: Reason): Reason => withoutUnknown(reason, evidenceIds);
  return { ...content, reasons: content.reasons.map(mended), kept: content.kept?.map(mended) ?? null };
}

function withoutUnknown(reason: Reason, evidenceIds: ReadonlySet<string>): Reason {
  if (reason.cites === null) return reason;
  const cited = [...new Set(reason.cites)];
  const unknown = cited.filter((evidenceId) => !evidenceIds.has(evidenceId));
  const more = unknown.length > mostTold ? ` and ${unknown.length - mostTold} more` : '';
  const told = `[names ${unknown.slice(0, mostTold).map(shown).join(', ')}${more}, of which nothing was shown]`;
  return {
    ...reason,
    cites: cited.filter((evidenceId) => evidenceIds.has(evidenceId)),
    reason: unknown.length === 0 ? reason.reason : reason.reason === null ? told : `${reason.reason} ${told}`,
  };
}

function shown(evidenceId: string): string {
  return JSON.stringify(
    evidenceId.length > longestEvidenceId ? `${evidenceId.slice(0, longestEvidenceId)}…` : evidenceId,
  );
}

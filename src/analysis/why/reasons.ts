// How well a change stands: what of what it cites was shown, concerns its family, and tells of what the policy did. Told as
// the view knob_changes tells it, judged as the citation score does, and put in words.
import { concernOf } from '../../producers/history/citing.ts';
import { type Cited, type EvidenceIds, isEvidence } from '../../producers/proposals/scores.ts';

/** Null where nobody knows what was shown. */
export function countsAsEvidence(evidenceId: string, evidenceIds: EvidenceIds | null): boolean | null {
  if (evidenceIds === null) return null;
  const shown = Object.hasOwn(evidenceIds, evidenceId) ? evidenceIds[evidenceId] : undefined;
  return shown === undefined ? null : isEvidence(evidenceId, shown);
}

/** As a sentence without a full stop, of what somebody turned or kept. */
export function verdictOn({ family, cites }: Cited, evidenceIds: EvidenceIds | null): string {
  const cited = [...new Set(cites ?? [])];
  if (cited.length === 0) return cites === null ? 'cites nothing: nobody said on what it rests' : 'cites nothing';
  if (evidenceIds === null) return `cites ${cited.join(', ')}, and nobody knows what was shown`;
  const known = cited.filter((evidenceId) => Object.hasOwn(evidenceIds, evidenceId));
  const strange = cited.filter((evidenceId) => !known.includes(evidenceId));
  const telling = known.filter((evidenceId) => countsAsEvidence(evidenceId, evidenceIds) === true);
  const idle = known.filter((evidenceId) => !telling.includes(evidenceId));
  const concerning = (concern: ReturnType<typeof concernOf>): string[] =>
    telling.filter((evidenceId) => concernOf(evidenceIds[evidenceId]?.family ?? null, family) === concern);
  const [own, part, other] = [concerning('its family'), concerning('in part'), concerning('another family')];
  const inWords: readonly (readonly [evidenceIds: readonly string[], words: string])[] = [
    [own, `rests on ${evidence(own)} ${family === null ? 'of all families' : 'of its family'}`],
    [part, `rests in part on ${evidence(part)} ${family === null ? 'of single families' : 'of all families'}`],
    [other, `cites ${evidence(other)} of another family`],
    [idle, `cites what tells nothing of what the policy did: ${idle.join(', ')}`],
    [strange, `cites what was not shown: ${strange.join(', ')}`],
  ];
  const found = inWords.flatMap(([which, words]) => (which.length === 0 ? [] : [words]));
  const isBare = own.length + part.length === 0;
  return `${found.join('; ')}${isBare ? '; nothing bears it' : ''}`;
}

function evidence(evidenceIds: readonly string[]): string {
  return evidenceIds.length === 1 ? 'evidence' : `${evidenceIds.length} pieces of evidence`;
}

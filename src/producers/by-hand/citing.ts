// Which context a person's reasons cite: one that was recorded after the stage and has every evidence id they name.

import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { Reason } from '../../lab/engineers/engineer.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import type { Recorded, StageHistory } from '../run/history.ts';

type Context = Recorded<'ContextRecorded'>;

/** `at` is how the stage is called. The one with this digest is tried first; null where nothing is cited and none was named. Throws UnknownEvidenceIds. */
export function contextCited(
  at: string,
  { contexts }: StageHistory,
  reasons: readonly Reason[],
  digest: string | null,
): Context | null {
  const cited = new Set(reasons.flatMap(({ cites }) => cites ?? []));
  const named = contexts.find(({ data }) => data.digest === digest) ?? null;
  if (cited.size === 0) return named;
  const inOrder = named === null ? contexts : [named, ...contexts];
  const hasAll = ({ data }: Context): boolean =>
    [...cited].every((evidenceId) => Object.hasOwn(data.evidenceIds, evidenceId));
  const found = inOrder.find(hasAll);
  if (found === undefined) throw new UnknownEvidenceIds(at, [...cited], inOrder);
  return found;
}

export class UnknownEvidenceIds extends IcecoreError {
  override readonly name = 'UnknownEvidenceIds';

  constructor(at: string, cited: readonly string[], contexts: readonly Context[]) {
    const [first] = contexts;
    const known = Object.keys(first?.data.evidenceIds ?? {});
    const missing = cited.filter((evidenceId) => !known.includes(evidenceId));
    const near = nearestNames(missing[0] ?? '', known);
    const form = first?.data.contextForm.name ?? first?.data.contextForm.modules.join(',');
    const where =
      first === undefined
        ? 'no context was recorded after this stage, so that nothing can be cited'
        : `not ${missing.length === 1 ? 'an evidence id' : 'evidence ids'} of the context ${form} that was recorded after it`;
    super('not-found', `${at}: ${missing.join(', ')}: ${where}`, {
      facts: { at, missing, nearest: near, form: form ?? null },
      remedy: remedyFor(at, near, form),
    });
  }
}

function remedyFor(at: string, near: readonly string[], form: string | undefined): string {
  if (form === undefined) return `icecore propose ${shellWord(at)} asks an engineer, and records what it is shown.`;
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `icecore context ${shellWord(at)} shows them.`;
}

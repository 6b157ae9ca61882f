// Texts that the original says were redacted and the copy still has. They are erased where somebody asked for that, and
// only what nothing else in the copy names; otherwise they are listed.
import { mapConcurrently } from '../../base/concurrently.ts';
import type { Ledger } from '../ledger.ts';
import { type RedactedBlob, redactedBlobs } from '../redacted-blobs.ts';
import { type KnownRedactions, type Redaction, Redactions } from '../redactions.ts';
import type { BlobSink } from './blob-copy.ts';

export interface RedactedText {
  readonly blob: string;
  /** The event whose text it is, its stream, and the field. */
  readonly event: string;
  readonly stream: string;
  readonly field: string;
  /** The Redacted event. */
  readonly by: string;
}

export interface LeftText extends RedactedText {
  /** Why it was not erased, and would not be. */
  readonly why: string;
}

export interface RedactedTexts {
  readonly erased: readonly RedactedText[];
  /** What would be erased, had it been asked for. */
  readonly erasable: readonly RedactedText[];
  readonly left: readonly LeftText[];
}

export interface Erasing {
  readonly isAsked: boolean;
  /** The runs and answers that this copy may erase texts of, as `scopeOf` names them; null: all. */
  readonly scopes: ReadonlySet<string> | null;
}

const atOnce = 64;

/** When everything was copied. `known`: the redactions of the original. Reads the copy whole where it has such a text. */
export async function settleRedacted(
  to: Ledger,
  blobs: BlobSink,
  known: KnownRedactions,
  { isAsked, scopes }: Erasing,
): Promise<RedactedTexts> {
  const copied = [...known.all()];
  if (copied.length === 0) return { erased: [], erasable: [], left: [] };
  const there = await new Redactions(to).look();
  const counting = copied.filter(({ scope, blob }) => there.covers(scope, blob));
  const found = await redactedBlobs(to, blobs, there, counting);
  const left = found.flatMap((one) => {
    const why = whyLeft(one, scopes);
    return why === null ? [] : [{ ...textOf(one.redaction), why }];
  });
  const erasable = found.filter((one) => whyLeft(one, scopes) === null).map(({ redaction }) => textOf(redaction));
  if (!isAsked) return { erased: [], erasable, left };
  await mapConcurrently([...new Set(erasable.map(({ blob }) => blob))], atOnce, (blob) => blobs.erase(blob));
  return { erased: erasable, erasable: [], left };
}

function whyLeft({ redaction, neededBy }: RedactedBlob, scopes: Erasing['scopes']): string | null {
  if (neededBy !== null) return `${neededBy.place} names the same blob`;
  if (scopes !== null && !scopes.has(redaction.scope)) return 'it is not a text of the run itself';
  return null;
}

function textOf({ blob, event, stream, field, by }: Redaction): RedactedText {
  return { blob, event, stream, field, by };
}

// `event redact`: erases texts stored as blobs and records the erasure.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RedactResult } from '../../../schemas/output.ts';
import { placeOf } from '../../ledger/event.ts';
import { redact as eraseTexts, redactable, requireReason } from '../../producers/trust/redaction.ts';
import { actorOf } from '../actor.ts';
import { listOf } from '../listing.ts';
import { blobsUrl, withBlobs } from '../opening/blobs.ts';
import { findEvent } from '../opening/finder.ts';
import { withLedgerToChange } from '../opening/ledger.ts';
import type { Session } from '../session.ts';

/** Why to erase texts, on whose behalf, and how far that reaches. */
export interface RedactOptions {
  readonly reason: string;
  /** The actor, as kind/identity (default: the user of this process). */
  readonly actor?: string;
  /** Erase what can be erased, even if part of a text is in the event itself and remains. */
  readonly partly?: boolean;
  /** Also for other runs with the same text. */
  readonly everywhere?: boolean;
}

export async function redact(
  session: Session,
  references: readonly string[],
  { reason, actor, partly = false, everywhere = false }: RedactOptions,
): Promise<RedactResult> {
  requireReason(reason);
  const who = actorOf(actor);
  return await withLedgerToChange(session, async (ledger) => {
    const found = [];
    for (const reference of references) found.push(await findEvent(session, ledger, reference).catch(nothingErased));
    const events = redactable(found, partly);
    const url = blobsUrl(session);
    // Only now: if nothing can be redacted, missing blobs do not matter.
    const redaction = { events, reason, actor: who, everywhere };
    const rows = await withBlobs(url, {}, (blobs) => eraseTexts(ledger, blobs, redaction));
    const remains = events.flatMap(({ event, staying }) =>
      staying.map((field) => ({ event: event.id, place: placeOf(event), field })),
    );
    return { ledger: ledger.url, blobs: url, remains, ...listOf(rows) };
  });
}

function nothingErased(error: unknown): never {
  if (!(error instanceof IcecoreError)) throw error;
  const { kind, message, facts, remedy } = error;
  throw new IcecoreError(kind, message, { facts, remedy: `Nothing was erased. ${remedy}`, cause: error });
}

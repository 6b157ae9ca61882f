// A proof that one event is part of the ledger, to be checked by somebody who has neither the ledger nor icecore: the
// event's bytes, the hashes that lead from it to a seal, and from there to the state of the whole ledger.
import { IcecoreError } from '../../../schemas/errors.ts';
import { type EventProof, type LedgerHead, proofFormat } from '../../../schemas/head.ts';
import type { Cursor } from '../cursor.ts';
import type { DigestsOf, Ledger } from '../ledger.ts';
import { makeHead } from '../seal/head.ts';
import { type Inclusion, InclusionProof } from '../seal/inclusion.ts';
import { digestDigits } from '../seal/span.ts';
import type { StoredEvent } from '../stored.ts';
import { gatherVouchers, placeOf, type Seal } from './vouchers.ts';

type ProvenEvent = EventProof['event'];

/** Against a head that was kept, or against the ledger as it is now. Throws NotProvable. */
export async function proveEvent(ledger: Ledger, event: StoredEvent, kept: LedgerHead | null): Promise<EventProof> {
  const head = kept ?? (await makeHead(ledger));
  const { vouchers } = await gatherVouchers(ledger, null);
  const seal = vouchers.seals.get(event.stream);
  const sealing = seal !== undefined && event.revision < seal.count ? await bySeal(ledger, event, seal) : null;
  const vouched = sealing?.event ?? event;
  const inclusion = await included(
    ledger,
    { until: head.cursor },
    await indexOf(ledger, vouched.cursor, head, placeOf(vouched)),
    head.events,
  );
  if (inclusion.root !== head.root)
    throw new NotProvable(placeOf(vouched), `the ledger is not that of the head of ${head.at}`);
  return {
    format: proofFormat,
    event: provenEvent(event),
    seal: sealing === null ? null : { by: provenEvent(sealing.event), inclusion: sealing.inclusion },
    ledger: { head, inclusion },
  };
}

async function bySeal(
  ledger: Ledger,
  event: StoredEvent,
  seal: Seal,
): Promise<{ readonly event: StoredEvent; readonly inclusion: Inclusion }> {
  const { stream, revision } = event;
  const inclusion = await included(ledger, { stream, from: 0, to: seal.count - 1 }, revision, seal.count);
  if (inclusion.root !== seal.root) throw new NotProvable(placeOf(event), `${stream} is not what ${seal.by} sealed`);
  return { event: await sealEvent(ledger, seal.by), inclusion };
}

async function sealEvent(ledger: Ledger, place: string): Promise<StoredEvent> {
  const at = place.lastIndexOf('@');
  const revision = Number(place.slice(at + 1));
  for await (const [event] of ledger.read(place.slice(0, at), { from: revision, to: revision })) {
    if (event !== undefined) return event;
  }
  throw new NotProvable(place, 'it is not there');
}

/** How many events come before it in the ledger's order. */
async function indexOf(ledger: Ledger, cursor: Cursor, head: LedgerHead, place: string): Promise<number> {
  if (ledger.compareCursors(cursor, head.cursor) === 'after') {
    throw new NotProvable(place, `it was recorded after the head of ${head.at}`);
  }
  const before = await ledger.stretches(Number.MAX_SAFE_INTEGER, { until: cursor });
  return before.reduce((sum, { events }) => sum + events, 0) - 1;
}

async function included(ledger: Ledger, of: DigestsOf, index: number, size: number): Promise<Inclusion> {
  const proof = new InclusionProof(index, size);
  for await (const digests of ledger.digests(of)) {
    for (let i = 0; i < digests.length; i += digestDigits) proof.add(digests.slice(i, i + digestDigits));
  }
  return proof.proof();
}

function provenEvent({ stream, revision, digest, body }: StoredEvent): ProvenEvent {
  return { stream, revision, digest, body };
}

export class NotProvable extends IcecoreError {
  override readonly name = 'NotProvable';

  constructor(place: string, why: string) {
    super('damaged', `${place} cannot be proven: ${why}`, {
      facts: { place, why },
      remedy: 'Run `icecore verify` to see what is wrong, or prove it against a later head.',
    });
  }
}

// A proof that an event is part of the ledger, which can be checked without the ledger and without icecore: the event's bytes, the
// hashes that lead from it to a seal, and from there to the state of the whole ledger.
import { IcecoreError } from '../../../schemas/errors.ts';
import { type EventProof, type LedgerHead, proofFormat } from '../../../schemas/head.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { type Cursor, countedEvents, isWithin, placeOf } from '../event.ts';
import { type DigestsOf, eventAt, type Ledger } from '../ledger.ts';
import { makeHead } from '../seal/head.ts';
import { type Inclusion, InclusionProof, isIncluded } from '../seal/inclusion.ts';
import { digestDigits } from '../seal/span.ts';
import { damageOf, type Skimmed, type StoredEvent, skimBody } from '../stored.ts';
import { endOf } from './head-place.ts';
import { readSeals } from './seals.ts';

type ProvenEvent = EventProof['event'];

/** Proves it against a stored head, or against the current ledger. Throws NotProvable, ForeignHead. */
export async function proveEvent(ledger: Ledger, event: StoredEvent, stored: LedgerHead | null): Promise<EventProof> {
  if (stored !== null && stored.ledger !== ledger.id) throw foreignHead(stored, ledger);
  soundly(event);
  const head = stored ?? (await makeHead(ledger));
  const end = stored === null ? head.cursor : await endOf(stored, ledger);
  if (end === null)
    throw notProvable(
      placeOf(event),
      `the head of ${head.at} has ${countedEvents(head.events)}, none or more than the ledger`,
    );
  const sealing = await sealingOf(ledger, event, end);
  return {
    format: proofFormat,
    event: provenEvent(event),
    seal: sealing === null ? null : { by: provenEvent(sealing.event), inclusion: sealing.inclusion },
    ledger: { head, inclusion: await inLedger(ledger, sealing?.event ?? event, head, end) },
  };
}

/** A damaged event cannot be proven. */
function soundly(event: StoredEvent): Skimmed {
  const own = skimBody(event.body);
  const damage = damageOf(event, own);
  if (damage !== null || own === null) throw notProvable(placeOf(event), damage ?? 'its bytes are not an event');
  return own;
}

/** Null: no seal covers the event, or none up to `end`. */
async function sealingOf(
  ledger: Ledger,
  event: StoredEvent,
  end: Cursor,
): Promise<{ readonly event: StoredEvent; readonly inclusion: Inclusion } | null> {
  const { stream, revision, digest } = event;
  const seal = (await readSeals(ledger, null)).sealIndex.seals.get(stream);
  if (seal === undefined || revision >= seal.count) return null;
  const at = seal.by.lastIndexOf('@');
  const by = await eventAt(ledger, { stream: seal.by.slice(0, at), revision: Number(seal.by.slice(at + 1)) });
  if (by === null) throw notProvable(seal.by, 'it is missing');
  if (!isWithin(ledger.compareCursors(by.cursor, end))) return null;
  const [{ run, stage }, own] = [soundly(event), soundly(by)];
  const streams = run === null ? [] : [streamOf.run(run), streamOf.ablation(run)];
  const isSeal = own.type === 'EvidenceSealed' && streams.includes(own.stream);
  if (!isSeal || own.run !== run || own.stage !== stage)
    throw notProvable(placeOf(event), `${placeOf(by)} is not a seal of it: it belongs to another run or stage`);
  const inclusion = await included(ledger, { stream, from: 0, to: seal.count - 1 }, revision, seal.count);
  if (inclusion !== null && inclusion.root === seal.root && isIncluded(digest, inclusion))
    return { event: by, inclusion };
  throw notProvable(placeOf(event), `${stream} differs from what ${seal.by} sealed`);
}

/** `end` is the place of the head in the ledger. */
async function inLedger(ledger: Ledger, event: StoredEvent, head: LedgerHead, end: Cursor): Promise<Inclusion> {
  const place = placeOf(event);
  if (!isWithin(ledger.compareCursors(event.cursor, end)))
    throw notProvable(place, `it was recorded after the head of ${head.at}`);
  const index = await indexOf(ledger, event, end);
  const inclusion = index < 0 ? null : await included(ledger, { until: end }, index, head.events);
  if (inclusion !== null && inclusion.root === head.root && isIncluded(event.digest, inclusion)) return inclusion;
  throw notProvable(place, `the ledger differs from the head of ${head.at}`);
}

/** The index of the event in the tree of the ledger; -1: it is not in it. */
async function indexOf(ledger: Ledger, { digest }: StoredEvent, until: Cursor): Promise<number> {
  let before = 0;
  for await (const digests of ledger.digests({ until })) {
    for (let at = 0; at < digests.length; at += digestDigits, before++)
      if (digests.startsWith(digest, at)) return before;
  }
  return -1;
}

/** Null: the tree has another number of leaves. */
async function included(ledger: Ledger, of: DigestsOf, index: number, size: number): Promise<Inclusion | null> {
  const proof = new InclusionProof(index, size);
  let leaves = 0;
  for await (const digests of ledger.digests(of)) {
    for (let i = 0; i < digests.length; i += digestDigits) proof.add(digests.slice(i, i + digestDigits));
    leaves += digests.length / digestDigits;
  }
  return leaves === size ? proof.proof() : null;
}

function provenEvent({ stream, revision, digest, body }: StoredEvent): ProvenEvent {
  return { stream, revision, digest, body };
}

function notProvable(place: string, why: string): IcecoreError {
  return new IcecoreError('damaged', `${place} cannot be proven: ${why}`, {
    name: 'NotProvable',
    facts: { place, why },
    remedy: 'Run `icecore verify` to see what is wrong, or prove it against a later head.',
  });
}

/** The head belongs to another ledger. */
export function foreignHead(head: LedgerHead, { id, url }: Ledger): IcecoreError {
  return new IcecoreError('bad-input', `the head is of ledger ${head.ledger}, ${url} is ${id}`, {
    name: 'ForeignHead',
    facts: { head: head.ledger, ledger: id, url },
    remedy: 'Give the head of this ledger, or name the ledger of this head with --ledger.',
  });
}

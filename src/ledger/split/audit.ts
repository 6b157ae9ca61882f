// Finds faults in the stores of a split ledger: in each one by itself, and between both. All evidence is read once.
import { isObject, jsonOrUndefined } from '../../../schemas/json-text.ts';
import { BadCursor, EvidenceMissing } from '../errors.ts';
import { placeOf, uuidOf } from '../event.ts';
import type { AuditOptions, StoreFault } from '../ledger.ts';
import { type IdPlace, type IdsOf, RepeatedIds } from '../remote/ids.ts';
import { Span } from '../seal/span.ts';
import { readSeals, type Seal, type SealIndex } from '../verify/seals.ts';
import { type Published, readAttempts, readEverything, readPublished } from './evidence.ts';
import { partOf, parts, type Store } from './parts.ts';
import type { Stores } from './reading.ts';
import type { Attempt, Reports } from './reports.ts';

export async function* auditBoth(
  stores: Stores,
  reports: Reports,
  { wholly = true, run = null, onUnreported }: AuditOptions,
): AsyncGenerator<StoreFault> {
  for (const part of parts) {
    for await (const { where, what } of stores[part].pages((ledger) => ledger.audit({ wholly, run })))
      yield { where: `${part}: ${where}`, what };
    yield* misplaced(stores[part]);
  }
  if (!wholly && run === null) return;
  await reports.refresh();
  if (wholly) yield* auditEvidence(stores, reports, onUnreported);
  else {
    for (const attempt of reports.attempts)
      if (runOf(attempt) === run) yield* differing(attempt, await spanOf(stores.evidence, attempt));
  }
}

/** The run or ablation whose stream reports it. */
function runOf({ report: { stream } }: Attempt): string {
  return stream.slice(stream.indexOf('-') + 1);
}

/** Readers look for a stream by its name only in the part where it belongs. */
async function* misplaced(store: Store): AsyncGenerator<StoreFault> {
  const { part, ledger } = store;
  // A store of evidence alone accepts nothing else, and cannot list its streams.
  if (ledger?.capabilities.attempts === 'reported') return;
  for await (const ends of store.pages((ledger) => ledger.streams())) {
    for (const { stream } of ends)
      if (partOf(stream) !== part) yield { where: `${part}: ${stream}`, what: `it belongs to the ${partOf(stream)}` };
  }
}

/** The existing part of an attempt. */
async function spanOf(evidence: Store, attempt: Attempt): Promise<Span> {
  const found = new Span();
  const range = { ...attempt, from: 0, to: attempt.count - 1 };
  try {
    for await (const { events } of readAttempts(evidence, [range])) for (const { digest } of events) found.add(digest);
  } catch (error) {
    if (!(error instanceof EvidenceMissing)) throw error;
  }
  return found;
}

function* differing({ stream, count, root, report }: Attempt, found: Span): Generator<StoreFault> {
  const where = `evidence: ${stream}`;
  const by = placeOf(report);
  if (found.to < count) yield { where, what: `${by} reports ${count} events, ${found.to} are there` };
  else if (found.root() !== root) yield { where, what: `it has another Merkle root than ${by} reports` };
}

async function* auditEvidence(
  stores: Stores,
  reports: Reports,
  onUnreported: AuditOptions['onUnreported'],
): AsyncGenerator<StoreFault> {
  const ids = new RepeatedIds();
  for await (const events of stores.decisions.pages((ledger) => ledger.readAll())) {
    for (const { stream, revision, filedId } of events) ids.add(`decisions: ${stream}`, revision, filedId);
  }
  const streams = new Map<string, { reported: Attempt | null; span: Span; events: number }>();
  for await (const { events, foreign } of readEverything(stores.evidence)) {
    for (const { where, what } of foreign) yield { where: `evidence: ${where}`, what };
    for (const { stream, revision, filedId, digest } of events) {
      const known = streams.get(stream) ?? { reported: reports.attempt(stream), span: new Span(), events: 0 };
      if (known.events++ === 0) streams.set(stream, known);
      if (revision === known.span.to && revision < (known.reported?.count ?? 0)) known.span.add(digest);
      ids.add(`evidence: ${stream}`, revision, filedId);
    }
  }
  for (const attempt of reports.attempts) {
    yield* differing(attempt, streams.get(attempt.stream)?.span ?? new Span());
  }
  for (const [stream, { reported, events }] of streams) {
    const beyond = events - (reported?.count ?? 0);
    if (beyond > 0 && partOf(stream) === 'evidence') onUnreported?.({ stream, events: beyond });
  }
  // Published seals are known: they are read first.
  const published = await readPublished(stores.evidence);
  const { sealIndex } = await stores.decisions.ask((ledger) => readSeals(ledger, null));
  yield* repeated(stores, ids, sealIndex);
  if (published !== null)
    yield* misPublished(published, sealIndex.seals, await sealsAfter(published, stores.decisions));
}

/** The seals that are not published yet: the next process that opens the ledger does it. */
async function sealsAfter({ upTo }: Published, decisions: Store): Promise<ReadonlySet<string>> {
  const read = async (after?: string): Promise<ReadonlySet<string>> => {
    const found = new Set<string>();
    const range = { types: ['EvidenceSealed'], after };
    for await (const seals of decisions.pages((ledger) => ledger.readAll(range)))
      for (const seal of seals) found.add(placeOf(seal));
    return found;
  };
  return await read(upTo ?? undefined).catch((error: unknown) => {
    // The run events were restored from an older copy: all their seals are published again.
    if (error instanceof BadCursor) return read();
    throw error;
  });
}

function* misPublished(
  { where: place, attempts }: Published,
  seals: ReadonlyMap<string, Seal>,
  later: ReadonlySet<string>,
): Generator<StoreFault> {
  const where = `evidence: ${place}`;
  for (const [stream, text] of attempts) {
    const seal = seals.get(stream);
    const said = jsonOrUndefined(text);
    if (!isObject(said)) yield { where, what: `its message for ${stream} is unreadable` };
    else if (seal === undefined) yield { where, what: `it says that ${stream} counts, and no seal names it` };
    else if (said['count'] !== seal.count)
      yield { where, what: `it says that ${said['count']} events of ${stream} count, ${seal.by} seals ${seal.count}` };
    else if (said['root'] !== seal.root)
      yield { where, what: `it has another Merkle root for ${stream} than ${seal.by}` };
  }
  for (const [stream, { by }] of seals)
    if (!attempts.has(stream) && !later.has(by)) yield { where, what: `it lacks ${stream}, which ${by} seals` };
}

/** Neither store knows the ids of the other when it stores an event, and a store without an index does not know its own. */
async function* repeated(stores: Stores, ids: RepeatedIds, sealIndex: SealIndex): AsyncGenerator<StoreFault> {
  const idsOf: IdsOf = (name) => {
    const [part, stream] = partAndStream(name);
    return stores[part].pages((ledger) => ledger.read(stream));
  };
  for await (const { id, first, other } of ids.find(idsOf, (a, b) => mayShare(a, b, sealIndex))) {
    const [of] = partAndStream(first.stream);
    const what = of === 'decisions' ? 'that of a run event' : `that of ${placeOf(first)}`;
    yield { where: placeOf(other), what: `its id ${uuidOf({ filedId: id })} is also ${what}` };
  }
}

function partAndStream(name: string): [Store['part'], string] {
  const [part, stream = ''] = name.split(': ');
  return [part === 'decisions' ? 'decisions' : 'evidence', stream];
}

/**
 * The store of run events compares their ids itself. An abandoned attempt has the same ids as the attempt that replaced it, so
 * it is a fault only if both count.
 */
function mayShare(one: IdPlace, other: IdPlace, { seals }: SealIndex): boolean {
  const [[partOfOne, stream], [partOfOther, otherStream]] = [partAndStream(one.stream), partAndStream(other.stream)];
  if (partOfOne === 'decisions' || partOfOther === 'decisions') return partOfOne === partOfOther;
  if (stream === otherStream) return false;
  const shard = (name: string): string => name.slice(0, name.lastIndexOf('-'));
  const counts = (name: string, { revision }: IdPlace): boolean => revision < (seals.get(name)?.count ?? 0);
  return shard(stream) === shard(otherStream) && !(counts(stream, one) && counts(otherStream, other));
}

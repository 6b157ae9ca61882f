// What the ledger says about itself and a verification holds it to: which attempts were sealed, and which blobs were
// erased on purpose. There are few such events, so they are read first, by their type.
import type { EventData } from '../../../schemas/catalogue.ts';
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import type { Cursor } from '../cursor.ts';
import type { Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import type { Finding } from './findings.ts';

export interface Seal {
  readonly count: number;
  readonly root: string;
  /** `run-x@7`: the EvidenceSealed. */
  readonly by: string;
}

/** Plain maps, as they travel to other threads. */
export interface Vouchers {
  /** By attempt: the evidence stream. */
  readonly seals: ReadonlyMap<string, Seal>;
  /** The stages that were sealed, as `run stage`. */
  readonly sealedStages: ReadonlySet<string>;
  /** By blob: the event that says it was erased. */
  readonly erased: ReadonlyMap<string, string>;
  /** What was recorded after this was not looked at. */
  readonly until: Cursor;
}

export interface Gathered {
  readonly vouchers: Vouchers;
  readonly findings: readonly Finding[];
}

/** The seals of one run, or of all. A blob may be shared by runs, and erased through any of them. */
export async function gatherVouchers(ledger: Ledger, run: string | null): Promise<Gathered> {
  const seals = new Map<string, Seal>();
  const sealedStages = new Set<string>();
  const erased = new Map<string, string>();
  const findings: Finding[] = [];
  const { cursor: until } = await ledger.head();
  for await (const events of ledger.readAll({ types: ['EvidenceSealed', 'Redacted'], until })) {
    for (const event of events) {
      const data = dataOf(event);
      if (data === null) continue;
      if ('erased' in data) for (const { blob } of data.erased) erased.set(blob, placeOf(event));
      else if (run === null || event.stream === streamOf.run(run))
        takeSeals(event, data, seals, findings, sealedStages);
    }
  }
  return { vouchers: { seals, sealedStages, erased, until }, findings };
}

/** By blob, the event that says it was erased: of erasures recorded since. */
export async function* erasedSince(ledger: Ledger, after: Cursor): AsyncGenerator<readonly [string, string, Cursor]> {
  for await (const events of ledger.readAll({ types: ['Redacted'], after })) {
    for (const event of events) {
      const data = dataOf(event);
      if (data === null || !('erased' in data)) continue;
      for (const { blob } of data.erased) yield [blob, placeOf(event), event.cursor];
    }
  }
}

type Sealing = EventData['EvidenceSealed'] | EventData['Redacted'];

/** Null where the event cannot be read: the scan will say what is wrong with it. */
function dataOf(event: StoredEvent): Sealing | null {
  try {
    const { reading } = event;
    if (!reading.known || (reading.type !== 'EvidenceSealed' && reading.type !== 'Redacted')) return null;
    const list: unknown = reading.type === 'EvidenceSealed' ? reading.data.attempts : reading.data.erased;
    return Array.isArray(list) && list.every(isObject) ? reading.data : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function takeSeals(
  event: StoredEvent,
  { attempts }: EventData['EvidenceSealed'],
  seals: Map<string, Seal>,
  findings: Finding[],
  sealedStages: Set<string>,
): void {
  for (const { stream, count, root } of attempts) {
    const stage = stageOf(stream);
    if (stage !== null) sealedStages.add(stage);
    const before = seals.get(stream);
    if (before !== undefined && (before.count !== count || before.root !== root)) {
      const says = `${stream} was sealed by ${before.by} with ${before.count} events, and here otherwise with ${count}`;
      findings.push({ kind: 'seal-broken', where: placeOf(event), event: event.id, says });
    }
    if (before === undefined) seals.set(stream, { count, root, by: placeOf(event) });
  }
}

/** The stage an evidence stream belongs to, as `run stage`. */
export function stageOf(stream: string): string | null {
  const name = parseStream(stream);
  return name?.category === 'evidence' ? `${name.run} ${name.stage}` : null;
}

export function placeOf({ stream, revision }: { stream: string; revision: number }): string {
  return `${stream}@${revision}`;
}

// What the ledger says about itself and a verification holds it to: which attempts were sealed. There are few such events,
// so they are read first, by their type.
import type { EventData } from '../../../schemas/catalogue.ts';
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../ledger.ts';
import { placeOf } from '../places.ts';
import type { StoredEvent } from '../stored.ts';
import { type Finding, whyUnreadable } from './findings.ts';

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
}

export interface Gathered {
  readonly vouchers: Vouchers;
  readonly findings: readonly Finding[];
}

/** Of one run, or of all. */
export async function gatherVouchers(ledger: Ledger, run: string | null): Promise<Gathered> {
  const seals = new Map<string, Seal>();
  const sealedStages = new Set<string>();
  const findings: Finding[] = [];
  const streams = run === null ? {} : { streams: [streamOf.run(run)] };
  try {
    for await (const events of ledger.readAll({ types: ['EvidenceSealed'], ...streams })) {
      for (const event of events) takeSeals(event, attemptsOf(event), seals, findings, sealedStages);
    }
  } catch (error) {
    const says = `not all seals can be read: ${whyUnreadable(error)}`;
    findings.push({ kind: 'unreadable', where: 'seals', event: null, says });
  }
  return { vouchers: { seals, sealedStages }, findings };
}

/** None where the event cannot be read: the scan will say what is wrong with it. */
function attemptsOf(event: StoredEvent): EventData['EvidenceSealed']['attempts'] {
  try {
    const { reading } = event;
    if (!reading.known || reading.type !== 'EvidenceSealed') return [];
    const attempts: unknown = reading.data.attempts;
    return Array.isArray(attempts) && attempts.every(isObject) ? reading.data.attempts : [];
  } catch {
    return [];
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function takeSeals(
  event: StoredEvent,
  attempts: EventData['EvidenceSealed']['attempts'],
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

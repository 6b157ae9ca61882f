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
  const gathering = new Gathering();
  const streams = run === null ? {} : { streams: [streamOf.run(run)] };
  try {
    for await (const events of ledger.readAll({ types: ['EvidenceSealed'], ...streams })) {
      for (const event of events) gathering.take(event);
    }
  } catch (error) {
    const says = `not all seals can be read: ${whyUnreadable(error)}`;
    gathering.findings.push({ kind: 'unreadable', where: 'seals', event: null, says });
  }
  const { seals, sealedStages, findings } = gathering;
  return { vouchers: { seals, sealedStages }, findings };
}

interface SealRead {
  readonly stage: number | null;
  readonly attempts: EventData['EvidenceSealed']['attempts'];
}

/** Null where the event cannot be read: the scan will say what is wrong with it. */
function sealIn(event: StoredEvent): SealRead | null {
  try {
    const { reading, envelope } = event;
    if (!reading.known || reading.type !== 'EvidenceSealed') return null;
    const attempts: unknown = reading.data.attempts;
    if (!Array.isArray(attempts) || !attempts.every(isObject)) return null;
    return { stage: envelope.stage, attempts: reading.data.attempts };
  } catch {
    return null;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Of a stage of a run the first seal counts. An ablation seals each part of a stage by itself: of a part the first counts. */
export class Gathering {
  readonly seals = new Map<string, Seal>();
  readonly sealedStages = new Set<string>();
  readonly findings: Finding[] = [];
  /** By what was sealed, where. */
  readonly #sealed = new Map<string, string>();

  take(event: StoredEvent): void {
    const seal = sealIn(event);
    if (seal === null) return;
    const by = placeOf(event);
    const isOfRun = event.stream.startsWith('run-');
    if (isOfRun && !this.#isFirst(event, `${event.stream} ${seal.stage}`, `stage ${seal.stage}`, by)) return;
    for (const { stream, count, root } of seal.attempts) {
      const stage = stageOf(stream);
      if (stage !== null) this.sealedStages.add(stage);
      const part = stream.slice(0, stream.lastIndexOf('-'));
      if (!isOfRun && !this.#isFirst(event, `${event.stream} ${part}`, stream, by)) continue;
      if (!this.seals.has(stream)) this.seals.set(stream, { count, root, by });
    }
  }

  #isFirst(event: StoredEvent, key: string, what: string, by: string): boolean {
    const before = this.#sealed.get(key) ?? by;
    this.#sealed.set(key, before);
    if (before === by) return true;
    this.#broken(event, `${what} was sealed by ${before} already: that seal counts, and this one does not`);
    return false;
  }

  #broken(event: StoredEvent, says: string): void {
    this.findings.push({ kind: 'seal-broken', where: placeOf(event), event: event.id, says });
  }
}

/** The stage an evidence stream belongs to, as `run stage`. */
export function stageOf(stream: string): string | null {
  const name = parseStream(stream);
  return name?.category === 'evidence' ? `${name.run} ${name.stage}` : null;
}

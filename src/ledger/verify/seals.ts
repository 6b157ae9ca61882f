// The seals in the ledger, with which a verification compares attempts. They are few, so they are read first, by their type.
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { placeOf } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import type { StoredEvent } from '../stored.ts';
import { type Finding, finding, whyUnreadable } from './findings.ts';

export interface Seal {
  readonly count: number;
  readonly root: string;
  /** The EvidenceSealed event: `run-x@7`. */
  readonly by: string;
}

/** Plain maps, which can be sent to other threads. */
export interface SealIndex {
  /** By evidence stream. */
  readonly seals: ReadonlyMap<string, Seal>;
  /** The sealed stages, as `run stage`. */
  readonly sealedStages: ReadonlySet<string>;
}

/** For one run, or for all. */
export async function readSeals(
  ledger: Ledger,
  run: string | null,
): Promise<{ readonly sealIndex: SealIndex; readonly findings: readonly Finding[] }> {
  const seals = new SealCollector();
  const streams = run === null ? {} : { streams: [streamOf.run(run)] };
  try {
    for await (const events of ledger.readAll({ types: ['EvidenceSealed'], ...streams })) {
      for (const event of events) seals.take(event);
    }
  } catch (error) {
    seals.findings.push(finding('unreadable', 'seals', `some seals cannot be read: ${whyUnreadable(error)}`));
  }
  return { sealIndex: { seals: seals.seals, sealedStages: seals.sealedStages }, findings: seals.findings };
}

/** Null: the event cannot be read; the scan reports why. */
function sealIn(event: StoredEvent) {
  try {
    const { reading, envelope } = event;
    if (!reading.known || reading.type !== 'EvidenceSealed') return null;
    const { attempts } = reading.data;
    const isList = Array.isArray(attempts) && attempts.every((one) => typeof one === 'object' && one !== null);
    return isList ? { stage: envelope.stage, attempts } : null;
  } catch {
    return null;
  }
}

/** The first seal of a run's stage counts. An ablation seals each part of a stage separately; there the first seal of a part counts. */
export class SealCollector {
  readonly seals = new Map<string, Seal>();
  readonly sealedStages = new Set<string>();
  readonly findings: Finding[] = [];
  /** Keyed by what was sealed, and where. */
  readonly #sealed = new Map<string, string>();

  take(event: StoredEvent): void {
    const seal = sealIn(event);
    if (seal === null) return;
    const isOfRun = event.stream.startsWith('run-');
    if (isOfRun && !this.#isFirst(event, `${event.stream} ${seal.stage}`, `stage ${seal.stage}`)) return;
    for (const { stream, count, root } of seal.attempts) {
      const stage = stageOf(stream);
      if (stage !== null) this.sealedStages.add(stage);
      const part = stream.slice(0, stream.lastIndexOf('-'));
      if (!isOfRun && !this.#isFirst(event, `${event.stream} ${part}`, stream)) continue;
      if (!this.seals.has(stream)) this.seals.set(stream, { count, root, by: placeOf(event) });
    }
  }

  #isFirst(event: StoredEvent, key: string, what: string): boolean {
    const by = placeOf(event);
    const before = this.#sealed.get(key) ?? by;
    this.#sealed.set(key, before);
    if (before === by) return true;
    const says = `${what} was sealed by ${before} already: that seal counts, and this one does not`;
    this.findings.push({ ...finding('seal-broken', event, says), event: event.id });
    return false;
  }
}

/** The stage of an evidence stream, as `run stage`. */
export function stageOf(stream: string): string | null {
  const name = parseStream(stream);
  return name?.category === 'evidence' ? `${name.run} ${name.stage}` : null;
}

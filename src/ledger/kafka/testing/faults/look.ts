// What a ledger must hold after a fault, whoever looks: all that was acknowledged, in its order, once, and the same in tables.
import type { NewEvent } from '../../../../../schemas/envelope.ts';
import { isChained } from '../../../../../schemas/streams.ts';
import { noteIn, rolloutIn } from '../../../contract/samples.ts';
import type { Ledger } from '../../../ledger.ts';
import type { FaultBench } from './bench.ts';

/** The event that writers of the tests write as the so-manieth of a stream. */
export function eventIn(stream: string, index: number): NewEvent {
  return isChained(stream) ? noteIn(stream, index) : rolloutIn(stream, index);
}

export function eventsIn(stream: string, from: number, count: number): readonly NewEvent[] {
  return Array.from({ length: count }, (_, i) => eventIn(stream, from + i));
}

export interface Expected {
  /** How many events of each stream. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** What the audit is to tell. */
  readonly told?: readonly RegExp[];
  /** The folder of tables that were filled while it happened. */
  readonly tables?: string;
}

/** Looked at from another machine. */
export async function look(
  bench: FaultBench,
  url: string,
  { acknowledged, told: expected = [], tables = bench.folder() }: Expected,
): Promise<readonly string[]> {
  const ledger = await bench.openElsewhere(url);
  const faults: string[] = [];
  const stored = new Map<string, number>();
  for (const [stream, least] of acknowledged) {
    const count = await countedIn(ledger, stream, faults);
    stored.set(stream, count);
    if (count < least) faults.push(`${stream}: ${least} events were acknowledged, ${count} are stored`);
  }
  const counted = await bench.countInTables(ledger, tables);
  for (const [stream, count] of stored) {
    const { rows, revisions } = counted.get(stream) ?? { rows: 0, revisions: 0 };
    if (rows !== count || revisions !== count)
      faults.push(`${stream}: ${count} events are stored, tables have ${rows} rows of ${revisions}`);
  }
  const told: string[] = [];
  for await (const { where, what } of ledger.audit()) told.push(`${where}: ${what}`);
  faults.push(...told.filter((one) => !expected.some((pattern) => pattern.test(one))));
  faults.push(...expected.filter((one) => !told.some((text) => one.test(text))).map((one) => `not told: ${one}`));
  return faults;
}

/** How many are there, each the one that belongs there. */
async function countedIn(ledger: Ledger, stream: string, faults: string[]): Promise<number> {
  let next = 0;
  for await (const events of ledger.read(stream)) {
    for (const { id, revision } of events) {
      if (revision !== next || id !== eventIn(stream, next).id)
        faults.push(`${stream}: ${id} is revision ${revision}, behind ${next} others`);
      next++;
    }
  }
  return next;
}

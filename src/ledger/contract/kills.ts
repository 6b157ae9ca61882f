// Kills a writer in the middle of its work and compares the ledger with the acknowledgements that the writer received.
import type { Ledger } from '../ledger.ts';
import { collect } from './fixture.ts';
import { report, rolloutIn } from './samples.ts';
import { startTogether } from './writers.ts';

export interface Killed {
  readonly stored: number;
  readonly acknowledged: number;
  /** The fault of the ledger; null if every acknowledged event exists once and no batch is stored partly. */
  readonly fault: string | null;
}

/** A batch may be a single event or large enough for several packs. */
const batches = [1, 2, 7, 40, 300, 1000];

/** The maximum number of acknowledged events before the writer is killed. */
const latest = 3000;

/** `moment` and `size`, from 0 to 1, determine when the writer is killed and how many events it appends at once. */
export async function killOnce(ledger: Ledger, stream: string, moment: number, size: number): Promise<Killed> {
  const batch = batches[Math.floor(size * batches.length)] ?? 1;
  const [writer] = await startTogether([{ url: ledger.url, stream, from: 0, to: 10_000_000, batch, mode: 'append' }]);
  if (writer === undefined) throw new Error('no writer was started');
  const killAfter = Math.floor(moment * Math.min(latest, batch * 100));
  for await (const delivery of ledger.subscribe({ streams: [stream], unsealed: true })) {
    const last = delivery.kind === 'caught-up' ? undefined : delivery.events.at(-1);
    if ((last?.revision ?? -1) >= killAfter) break;
  }
  writer.kill();
  await writer.ended();
  await report(ledger, stream);
  const stored = (await collect(ledger.read(stream))).map((event) => event.id);
  const acknowledged = writer.indices().length;
  return { stored: stored.length, acknowledged, fault: faultIn(stored, acknowledged, batch, stream) };
}

function faultIn(stored: readonly string[], acknowledged: number, batch: number, stream: string): string | null {
  if (stored.length < acknowledged) return `${acknowledged} events were acknowledged, ${stored.length} are stored`;
  if (stored.length % batch !== 0) return `${stored.length} events are stored: a part of an append of ${batch}`;
  const wrong = stored.findIndex((id, index) => id !== rolloutIn(stream, index).id);
  return wrong < 0 ? null : `revision ${wrong} holds ${stored[wrong]}`;
}

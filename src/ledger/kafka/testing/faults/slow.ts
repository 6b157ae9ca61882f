// A follower who takes an event a millisecond, while a writer writes as fast as it can: what it has not taken yet waits with the
// broker, not in the memory of the process.
import { setTimeout as pause } from 'node:timers/promises';
import { streamOf } from '../../../../../schemas/streams.ts';
import type { Ledger } from '../../../ledger.ts';
import type { FaultBench } from './bench.ts';
import { eventsIn, look } from './look.ts';

const stream = streamOf.evidence('slow', 1, 0, 0);
const batch = 500;
/** Beyond what is there when both begin. A minute of writing is a hundred times as much. */
const mostHeapMb = 192;

export interface Slowness {
  readonly written: number;
  readonly taken: number;
  readonly mostHeapMb: number;
  readonly faults: readonly string[];
}

export async function slowFollower(bench: FaultBench, seconds: number): Promise<Slowness> {
  const url = await bench.fresh();
  const [writer, reader] = [await bench.open(url), await bench.openElsewhere(url)];
  const heap = new Heap();
  const over = performance.now() + seconds * 1_000;
  const following = new AbortController();
  const taking = takenSlowly(reader, following.signal, heap);
  let written = 0;
  while (performance.now() < over) {
    await writer.append(stream, eventsIn(stream, written, batch), { expect: 'any' });
    written += batch;
    heap.look();
  }
  following.abort();
  const { taken, faults } = await taking;
  const grown = heap.grownMb;
  const tooMuch = grown > mostHeapMb ? [`the heap grew by ${grown} MB, ${mostHeapMb} are allowed`] : [];
  const tooFast = taken < written ? [] : ['the follower was as fast as the writer: nothing was tried'];
  const looked = await look(bench, url, { acknowledged: new Map([[stream, written]]) });
  return { written, taken, mostHeapMb: grown, faults: [...faults, ...tooMuch, ...tooFast, ...looked] };
}

async function takenSlowly(
  ledger: Ledger,
  signal: AbortSignal,
  heap: Heap,
): Promise<{ readonly taken: number; readonly faults: readonly string[] }> {
  const faults: string[] = [];
  const begun = performance.now();
  let taken = 0;
  for await (const delivery of ledger.subscribe({ signal })) {
    if (delivery.kind !== 'events') continue;
    for (const { revision } of delivery.events) {
      if (revision !== taken) faults.push(`${stream}@${revision} in the place of ${taken}`);
      taken++;
      const early = taken - (performance.now() - begun);
      if (early > 0) await pause(early, undefined, { signal }).catch(() => {});
      if (signal.aborted) break;
    }
    heap.look();
  }
  return { taken, faults };
}

class Heap {
  readonly #before = process.memoryUsage().heapUsed;
  #most = 0;

  look(): void {
    this.#most = Math.max(this.#most, process.memoryUsage().heapUsed - this.#before);
  }

  get grownMb(): number {
    return Math.round(this.#most / 2 ** 20);
  }
}

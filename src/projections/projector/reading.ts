// Reads the events for tables in batches, staging each one while the previous one is filled: this thread reads, and
// DuckDB's threads fill.
import { setImmediate } from 'node:timers/promises';
import type { Cursor } from '../../ledger/event.ts';
import type { TableCatalogue } from '../tables/catalogue.ts';
import type { Source } from './source.ts';
import { type Batch, removeBatch, Staging } from './staging.ts';

/** A batch ends at this number of events or characters, whichever comes first. It takes disk space, not memory. */
export interface BatchLimits {
  readonly events: number;
  readonly characters: number;
}

const usual: BatchLimits = { events: 500_000, characters: 600_000_000 };

/**
 * The first batch is small, so that filling starts early; each next one may be twice as large, because large ones are
 * filled faster.
 */
const firstEvents = 100_000;

export interface BatchOptions {
  readonly after: Cursor | null;
  readonly until?: Cursor;
  /** All types by default. */
  readonly types?: readonly string[];
}

/** Passes on all batches, one after the other. All of them have been processed when the promise resolves. */
export async function inBatches(
  source: Source,
  folder: string,
  { after, until, types }: BatchOptions,
  take: (batch: Batch) => Promise<void>,
  known: Pick<TableCatalogue, 'types' | 'ownTypes'>,
  {
    signal,
    limits = usual,
  }: { readonly signal?: AbortSignal | undefined; readonly limits?: BatchLimits | undefined } = {},
): Promise<void> {
  const staging = new Staging(folder, known);
  let most = Math.min(firstEvents, limits.events);
  let writer = staging.begin();
  let taking: Promise<void> = Promise.resolve();
  const handOver = async (batch: Batch | null): Promise<void> => {
    await taking;
    if (batch === null) return;
    taking = take(batch).finally(() => removeBatch(batch));
    // A failure surfaces at the next batch or at the end.
    taking.catch(() => undefined);
  };
  try {
    const span = { ...(after === null ? {} : { after }), ...(until === undefined ? {} : { until }) };
    for await (const events of source.readAll({ ...span, ...(types === undefined ? {} : { types }) })) {
      signal?.throwIfAborted();
      // Pages come without a pause, so this lets DuckDB's callbacks run.
      await setImmediate();
      for (const event of events) {
        writer.add(event);
        if (writer.events < most && writer.characters < limits.characters) continue;
        most = Math.min(2 * most, limits.events);
        await handOver(writer.end());
        writer = staging.begin();
      }
    }
    await handOver(writer.end());
    await taking;
  } finally {
    await taking.catch(() => undefined);
    writer.close();
    staging.close();
  }
}

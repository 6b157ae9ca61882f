// The upper bound of a projector: all events of a ledger as NDJSON files, one for each type, for DuckDB's read_json. They are written before the
// measurement, because reading the ledger is not the peer's work.
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { openLedger } from '../../src/ledger/open.ts';
import type { StoredEvent } from '../../src/ledger/stored.ts';

export interface Written {
  readonly events: number;
  /** By type of event. */
  readonly files: ReadonlyMap<string, string>;
}

export async function writeEvents(url: string, folder: string): Promise<Written> {
  await mkdir(folder, { recursive: true });
  const ledger = await openLedger(url, { readOnly: true });
  const handles = new Map<string, FileHandle>();
  const files = new Map<string, string>();
  let events = 0;
  try {
    for await (const page of ledger.readAll()) {
      events += page.length;
      for (const [type, some] of Map.groupBy(page, (event) => event.type)) {
        const path = join(folder, `${type}.ndjson`);
        const handle = handles.get(type) ?? (await open(path, 'wx'));
        handles.set(type, handle);
        files.set(type, path);
        await handle.appendFile(some.map(lineOf).join(''));
      }
    }
  } finally {
    await Promise.all([...handles.values()].map((handle) => handle.close()));
    await ledger.close();
  }
  return { events, files };
}

/** The event with the fields that the store adds, as in a projector's staging file. */
function lineOf({ recordedMs, digest, body }: StoredEvent): string {
  return `{"recorded":${recordedMs},"digest":"${digest}","event":${body}}\n`;
}

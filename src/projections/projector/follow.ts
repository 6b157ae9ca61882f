// Keeping tables up to date while others write: each time the ledger has grown, they are brought up to its end. Between
// two times the file is closed, so that queries find it free.
import type { Cursor } from '../../ledger/event.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { TablesBusy } from '../warehouse/errors.ts';
import { type Projected, type ProjectOptions, project } from './projector.ts';

/** Tells of the tables as they are, and again whenever events were added, until the signal aborts. */
export async function* follow(ledger: Ledger, folder: string, options: ProjectOptions): AsyncGenerator<Projected> {
  const { signal } = options;
  const first = await project(ledger, folder, options);
  yield first;
  let { cursor } = first;
  // Only that there is something new is asked for: what it is, the projector reads.
  const growth = { types: [], ...startAfter(cursor), ...(signal ? { signal } : {}) };
  for await (const delivery of ledger.subscribe(growth)) {
    if (cursor !== null && ledger.compareCursors(cursor, delivery.cursor) === 'equal') continue;
    const done = await patiently(ledger, folder, options);
    cursor = delivery.cursor;
    if (done.added > 0) yield done;
  }
}

function startAfter(cursor: Cursor | null): { readonly after?: Cursor } {
  return cursor === null ? {} : { after: cursor };
}

/** However long somebody else keeps the tables: they are brought up to date when they are free. */
async function patiently(ledger: Ledger, folder: string, options: ProjectOptions): Promise<Projected> {
  for (;;) {
    try {
      return await project(ledger, folder, { ...options, rebuild: false });
    } catch (error) {
      if (!(error instanceof TablesBusy)) throw error;
    }
  }
}

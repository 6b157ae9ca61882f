// What DuckDB hands out is freed when it is collected as garbage, and in no other way; but the collector sees only small
// objects and none of the memory behind them, so it would come much too late. Here it is told to come.
import { setImmediate as breath } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { readonly type: 'minor' }) => void;

let collector: Collect | null = null;

function collect(...how: Parameters<Collect>): void {
  if (collector === null) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as Collect;
  }
  collector(...how);
}

/** What was forgotten before is gone when it resolves; takes a moment. A result that failed after its first rows keeps its
 * file open until then. */
export async function collected(): Promise<void> {
  await breath();
  collect();
  await breath();
}

/** Frees chunks that nobody looks at any more, in well under a millisecond each time. */
export async function chunksCollected(): Promise<void> {
  collect({ type: 'minor' });
  await breath();
}

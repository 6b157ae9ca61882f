// A result that failed after its first rows keeps its file open until it is collected as garbage, and there is no other way
// to let it go. So garbage is collected on purpose: it happens after such failures only, and takes a moment.
import { setImmediate as breath } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What was forgotten before is gone when it resolves. */
export async function collected(): Promise<void> {
  await breath();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  await breath();
}

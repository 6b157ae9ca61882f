// What is shown of a run when something has come to its end: the same as icecore show shows.
import type { Context } from '../context.ts';

export async function showRun({ flags, io, invoke }: Context, name: string): Promise<number> {
  const same = [...(flags.ledger === undefined ? [] : ['--ledger', flags.ledger]), ...(flags.quiet ? ['--quiet'] : [])];
  return await invoke(['show', name, ...same], io);
}

// The input of a command: a file or standard input, as bytes.
import { openSource as openInput, type Source } from '../library/place/source.ts';
import type { Context } from './context.ts';

export type { Source };

/** `noun` is what somebody may type who gives neither a file nor a pipe. */
export async function inputOf({ io, say }: Pick<Context, 'io' | 'say'>, file: string, noun: string) {
  if (file !== '-') return file;
  if (io.stdin.isTTY === true) await say(`reading ${noun} from the terminal; Ctrl-D ends`);
  return io.stdin;
}

/** `ledgerFiles`: those of the ledger that is in use meanwhile. */
export async function openSource(
  context: Context,
  file: string,
  ledgerFiles: readonly string[],
  noun: string,
): Promise<Source> {
  return openInput(context.session, await inputOf(context, file, noun), ledgerFiles);
}

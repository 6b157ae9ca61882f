// A person at a terminal, for tests.
import { Readable } from 'node:stream';
import type { Sink } from '../../../base/sink.ts';
import { main } from '../../main.ts';
import type { Ran, Surroundings } from '../../testing/harness.ts';

/** Types these lines at a terminal. */
export async function typedAtTerminal(
  { cwd, env = {} }: Pick<Surroundings, 'cwd' | 'env'>,
  argv: readonly string[],
  typed: string,
  columns = 200,
): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const sink = (texts: string[]): Sink => ({
    isTTY: true,
    columns,
    write: async (text) => void texts.push(String(text)),
  });
  const stdin = Object.assign(Readable.from([Buffer.from(typed)], { objectMode: false }), { isTTY: true });
  const signal = new AbortController().signal;
  const code = await main(argv, { stdin, stdout: sink(out), stderr: sink(err), env, cwd, signal });
  return { code, stdout: out.join(''), stderr: err.join('') };
}

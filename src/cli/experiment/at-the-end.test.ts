import { expect, it } from 'vitest';
import { type Context, createContext } from '../context.ts';
import { processIo } from '../io.ts';
import { showRun } from './run.ts';

it('showRun passes the ledger and --quiet on to icecore show', async () => {
  const typed: (readonly string[])[] = [];
  const invoke = async (argv: readonly string[]): Promise<number> => {
    typed.push(argv);
    return 0;
  };
  const within = (flags: Context['flags']): Context => createContext({ ...processIo(), env: {} }, flags, invoke);
  await showRun(within({ json: false, quiet: false }), 'otter');
  await showRun(within({ json: false, quiet: true, ledger: 'sqlite:other.db' }), 'otter');
  expect(typed).toEqual([
    ['show', 'otter'],
    ['show', 'otter', '--ledger', 'sqlite:other.db', '--quiet'],
  ]);
});

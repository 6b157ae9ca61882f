import { expect, it } from 'vitest';
import { policyThat } from '../../../lab/evaluation/testing/stubs.ts';
import { entryOf } from '../../../lab/models/testing/models.ts';
import { createContext } from '../../context.ts';
import type { Io } from '../../io.ts';
import { headsUp } from './heads-up.ts';

/** A context, and what is said next in it. */
function listening() {
  const said = Promise.withResolvers<string>();
  const sink = { isTTY: false, columns: 80, write: async (text: string | Uint8Array) => said.resolve(String(text)) };
  const io = { stdout: sink, stderr: sink, env: {}, cwd: '/' } as unknown as Io;
  return { context: createContext(io, { json: false, quiet: false }, async () => 0), said: said.promise };
}

const policy = policyThat(() => ({ answer: null }));
const entry = entryOf('http://localhost:1/v1');

it('who waits for a model is told that it may be away', async () => {
  const { context, said } = listening();
  headsUp(context, { word: 'gpt', policy, entry }, 0);
  expect(await said).toContain('no answer from gpt yet');
});

it('unless it was called off, and for a rule never', async () => {
  const { context, said } = listening();
  headsUp(context, { word: 'random', policy, entry: null }, 0);
  headsUp(context, { word: 'qwen', policy, entry }, 0)();
  // Timers of one length are due in the order in which they were set.
  headsUp(context, { word: 'gpt', policy, entry }, 0);
  expect(await said).toContain('no answer from gpt yet');
});

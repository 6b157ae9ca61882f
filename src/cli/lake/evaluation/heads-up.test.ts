import { expect, it } from 'vitest';
import { policyThat } from '../../../lab/evaluation/testing/stubs.ts';
import type { Policy } from '../../../lab/policies/policy.ts';
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

const rule: Policy = policyThat(() => ({ answer: null }));
const model: Policy = { ...rule, component: { name: 'gpt', parameters: { kind: 'language' } } };

it('who waits for a model is told that it may be away', async () => {
  const { context, said } = listening();
  headsUp(context, { word: 'gpt', policy: model }, 0);
  expect(await said).toContain('no answer from gpt yet');
});

it('unless it was called off, and for a rule never', async () => {
  const { context, said } = listening();
  headsUp(context, { word: 'random', policy: rule }, 0);
  headsUp(context, { word: 'qwen', policy: model }, 0)();
  // Timers of one length are due in the order in which they were set.
  headsUp(context, { word: 'gpt', policy: model }, 0);
  expect(await said).toContain('no answer from gpt yet');
});

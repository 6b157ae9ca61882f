// Routes about the next decision of a run: what a person needs to make it, and the decision itself.
import { z } from 'zod';
import { decisionSent, nextDecision } from '../../../schemas/next-output.ts';
import { outputs } from '../../../schemas/output.ts';
import { jsonOf, jsonRoute, run } from '../route.ts';

export const next = jsonRoute({
  name: 'next',
  path: '/runs/{run}/next',
  summary: 'What a person needs to decide the next configuration of a run',
  parameters: { run },
  answer: nextDecision,
  describe: 'the configuration in force, its knobs, the proposals recorded for the decision, and what can be cited',
  run: (workspace, { run }, signal) => workspace.nextDecision(run, { signal }),
});

const adoptPath = { method: 'POST', path: '/runs/{run}/adopt' } as const;

export const adopt = jsonRoute({
  ...adoptPath,
  name: 'adopt',
  access: 'write',
  // An append never waits for a query.
  thread: 'events',
  summary: 'Decide the next configuration of a run; of two that decide at once, one gets 409',
  parameters: { run, decision: z.string().max(1_000_000) },
  body: {
    media: ['application/json'],
    parameter: 'decision',
    schema: decisionSent,
    describe: 'what changes, or a whole configuration as icecore propose --output writes it, with the reasons',
  },
  answer: outputs.adopt,
  describe: 'as icecore adopt --json',
  run: async (workspace, { run, decision }, signal) => {
    const { adopted, ...result } = await workspace.decide(run, jsonOf(adoptPath, decisionSent, decision), { signal });
    return { ...result, adopted: { ...adopted } };
  },
});

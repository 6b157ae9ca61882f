// What becomes of a question to an endpoint that does something wrong.
import { globalAgent } from 'node:http';
import { expect } from 'vitest';
import { ModelFault } from '../faults.ts';
import type { Endpoint, Reply } from './endpoint.ts';
import { FakeClock } from './fake-clock.ts';
import { modelAt, question } from './models.ts';

/** How often a question is asked that is of no use to ask again, and one that may go better. */
export const notAgain = 1;
export const again = 8;

/** The fault it ends with, and how often it was asked until then. */
export async function faultOf(endpoint: Endpoint, reply: Reply): Promise<{ fault: ModelFault; asked: number }> {
  // A connection that was kept and breaks now is made anew at once, which is one more question than attempts.
  globalAgent.destroy();
  endpoint.replies(reply);
  const model = modelAt(endpoint.url, {}, { clock: new FakeClock() });
  const fault = await model.ask(question()).then(
    (answered) => expect.fail(`it answered ${answered.answer}`),
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(ModelFault);
  return { fault: fault as ModelFault, asked: endpoint.seen.length };
}

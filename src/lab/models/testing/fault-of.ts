// The fault of a question to an endpoint that misbehaves.
import { globalAgent } from 'node:http';
import { expect } from 'vitest';
import { ModelFault } from '../faults.ts';
import type { Endpoint, Reply } from './endpoint.ts';
import { FakeClock } from './fake-clock.ts';
import { modelAt, question } from './models.ts';

/** The expected number of attempts for permanent faults and for temporary ones. */
export const notAgain = 1;
export const again = 8;

/** The fault, and the number of attempts. */
export async function faultOf(endpoint: Endpoint, reply: Reply): Promise<{ fault: ModelFault; asked: number }> {
  // A kept-alive connection that breaks is reopened at once, so there is one more request than attempts.
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

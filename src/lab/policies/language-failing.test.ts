// A language policy with a failing endpoint.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listed } from '../environments/contract/tasks.ts';
import type { Task } from '../environments/environment.ts';
import { BadRequest, ServerFailed, SpendingCapReached, Unauthorised } from '../models/faults.ts';
import { Spending } from '../models/spending.ts';
import { answerReply, Endpoint, type Reply, silent, status } from '../models/testing/endpoint.ts';
import { FakeClock } from '../models/testing/fake-clock.ts';
import { Notebook } from '../models/testing/models.ts';
import { promptIn, wellBehaved } from '../models/testing/well-behaved.ts';
import type { LanguagePolicy } from './language.ts';
import type { Planned } from './policy.ts';
import { lake, lakes, mind, type PolicyRequest, speaking } from './testing/speaking.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());
beforeEach(() => endpoint.script(wellBehaved(mind)));

const policy = (wanted: Omit<PolicyRequest, 'url'> = {}): LanguagePolicy => speaking({ url: endpoint.url, ...wanted });

describe('an endpoint that fails', () => {
  const answer = wellBehaved(mind);
  /** Answers all questions except those about some tasks. */
  const except = async (tasks: readonly Task[], reply: Reply): Promise<void> => {
    const prompts = new Set(await Promise.all(tasks.map((task) => lake.prompt?.(task))));
    endpoint.script((index, seen) => (prompts.has(promptIn(seen.body)) ? reply : answer(index, seen)));
  };
  const faultsOf = (planned: readonly Planned[]): unknown[] => planned.map(({ fault }) => fault?.kind);

  it('for one question makes only that try invalid', async () => {
    const tasks = await lakes(4);
    await except([tasks[1] as Task], status(400, { error: { message: 'too long' } }));
    const planned = await listed(policy().plan({ tasks, seed: 'first' }));
    expect(faultsOf(planned)).toEqual([undefined, 'bad-request', undefined, undefined]);
    expect(planned[1]).toMatchObject({ answer: null, fault: { message: expect.stringContaining('too long') } });
    expect(planned[1]?.spoken).toBe(undefined);
  });

  it('for every question after the first ends the evaluation', async () => {
    const tasks = await lakes(40);
    await except(tasks.slice(1), status(400));
    const planned: Planned[] = [];
    const reading = async (): Promise<void> => {
      for await (const plan of policy().plan({ tasks, seed: 'first' })) planned.push(plan);
    };
    await expect(reading()).rejects.toThrow(BadRequest);
    expect(faultsOf(planned)).toEqual([undefined]);
  });

  it('for all of a few questions is an error, not a result of the policy', async () => {
    endpoint.replies(status(500));
    const away = policy({ settings: { clock: new FakeClock() } }).plan({ tasks: await lakes(3), seed: 'first' });
    await expect(listed(away)).rejects.toThrow(ServerFailed);
  });

  it('because of the key ends the evaluation at once', async () => {
    endpoint.replies(status(401));
    await expect(listed(policy().plan({ tasks: await lakes(40), seed: 'first' }))).rejects.toThrow(Unauthorised);
    expect(endpoint.seen.length).toBeLessThanOrEqual(8);
  });

  it('because the cap is reached can be resumed with a higher cap, reusing paid answers', async () => {
    const tasks = await lakes(12);
    const entry = { prices: { input: 0, output: 1_000_000 }, parameters: { max_tokens: 10 }, concurrency: 4 };
    endpoint.script(() => answerReply('a: R\nb: D', { usage: { prompt_tokens: 1, completion_tokens: 10 } }));
    const book = new Notebook();
    const spending = new Spending({ currency: 'USD', most: 65 });
    const read: Planned[] = [];
    const reading = async (): Promise<void> => {
      const short = policy({ entry, settings: { book, spending } });
      for await (const plan of short.plan({ tasks, seed: 'first' })) read.push(plan);
    };
    await expect(reading()).rejects.toThrow(SpendingCapReached);
    expect(read.every(({ fault }) => fault === undefined)).toBe(true);
    expect({ asked: endpoint.seen.length, kept: book.kept.size, spent: spending.spent }).toEqual({
      asked: 6,
      kept: 6,
      spent: 60,
    });
    const rich = policy({ entry, settings: { book, spending: new Spending({ currency: 'USD', most: 1000 }) } });
    const all = await listed(rich.plan({ tasks, seed: 'first' }));
    expect(all.slice(0, read.length)).toEqual(read);
    expect({ plans: all.length, asked: endpoint.seen.length }).toEqual({ plans: 12, asked: 12 });
  });

  it('is aborted when the consumer stops', async () => {
    const tasks = await lakes(6);
    await except(tasks.slice(1), silent);
    for await (const { task } of policy().plan({ tasks, seed: 'first' })) {
      expect(task).toEqual(tasks[0]);
      await endpoint.arrived(tasks.length);
      break;
    }
    while (endpoint.underWay > 0) await new Promise(setImmediate);
  });

  it('gets no more questions after an abort', async () => {
    const tasks = await lakes(20);
    const stop = new AbortController();
    const plans = policy({ entry: { concurrency: 2 } }).plan({ tasks, seed: 'first', signal: stop.signal });
    await plans.next();
    stop.abort(new Error('stopped'));
    await expect(plans.next()).rejects.toThrow('stopped');
    while (endpoint.underWay > 0) await new Promise(setImmediate);
    const asked = endpoint.seen.length;
    await listed(policy().plan({ tasks: [], seed: 'first' }));
    expect(endpoint.seen).toHaveLength(asked);
    expect(asked).toBeLessThan(tasks.length);
  });
});

import { globalAgent } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collected, listed } from '../../environments/contract/fixture.ts';
import type { Environment } from '../../environments/environment.ts';
import type { Task } from '../../environments/task.ts';
import { openLake } from '../../lake/environment.ts';
import { Solver } from '../../lake/solver/solver.ts';
import { lakeOf } from '../../lake/tasks.ts';
import { BadRequest, Unauthorised } from '../../models/faults/refusing.ts';
import { SpendingCapReached } from '../../models/faults/spending.ts';
import { Model, type ModelSettings } from '../../models/model.ts';
import { Spending } from '../../models/spending.ts';
import { Endpoint, type Reply, says, silent, status } from '../../models/testing/endpoint.ts';
import { modelAt, Notebook } from '../../models/testing/models.ts';
import { realModel, realUrl } from '../../models/testing/real-model.ts';
import { promptIn, wellBehaved } from '../../models/testing/well-behaved.ts';
import { Random } from '../../random.ts';
import { policyContract } from '../contract/policy-contract.ts';
import type { Checkpoint, Planned } from '../policy.ts';
import { LanguagePolicy } from './language.ts';
import { NoPrompt } from './no-prompt.ts';

const lake = openLake();

async function lakes(count = 20): Promise<readonly Task[]> {
  const request = { configuration: lake.start, split: 'validation', count, seed: 'planned' } as const;
  return (await collected(lake.generate(request))).tasks;
}

/** A model that says any plan, and with no temperature the same to everybody who asks the same. */
const mind = (prompt: string, { temperature, seed }: Readonly<Record<string, unknown>>): string => {
  const luck = new Random(temperature === 0 ? 'best' : String(seed), prompt);
  const moves = (): string => Array.from({ length: luck.below(8) }, () => 'UDLRW'[luck.below(5)]).join('');
  return `<think>hm</think>I would say {"plan": ["${moves()}", "${moves()}"]}`;
};

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());
beforeEach(() => {
  globalAgent.destroy();
  endpoint.script(wellBehaved(mind));
});

interface Wanted {
  readonly entry?: object;
  readonly settings?: Partial<ModelSettings>;
  readonly checkpoint?: Checkpoint;
  readonly environment?: Pick<Environment, 'descriptor' | 'prompt'>;
}

function policy({ entry = {}, settings = {}, checkpoint, environment = lake }: Wanted = {}): LanguagePolicy {
  const model = modelAt(endpoint.url, { seeds: true, ...entry }, settings);
  return new LanguagePolicy({ model, environment, checkpoint: checkpoint ?? null });
}

policyContract('language', {
  open: async () => policy(),
  tasks: lakes,
  draws: 'others',
  knowsBest: true,
  many: 100,
});

describe('a policy that speaks', () => {
  const [seed, samples] = ['first', 1];
  const planned = (of: LanguagePolicy, tasks: readonly Task[], more: object = {}): Promise<Planned[]> =>
    listed(of.plan({ tasks, seed, samples, ...more }));

  it('is told what its environment says, and its answer is judged as it was said', async () => {
    const solver = new Solver();
    const tasks = await lakes(5);
    const plans = new Map(
      await Promise.all(
        tasks.map(async (task) => {
          const solution = solver.solve(lakeOf(task));
          return [await lake.prompt?.(task), solution.solvable === true ? solution.plan : []] as const;
        }),
      ),
    );
    endpoint.script(wellBehaved((prompt) => `So:\n\`\`\`json\n${JSON.stringify({ plan: plans.get(prompt) })}\n\`\`\``));
    const verdicts = await listed(lake.judge(await planned(policy(), tasks)));
    for (const verdict of verdicts) expect(verdict).toMatchObject({ outcome: 'valid', metrics: { optimal: 1 } });
  });

  it('keeps what it said and thought, what it took, and the snapshot that said it', async () => {
    const [task] = await lakes(1);
    const checkpoint = { reference: 'step-7', digest: 'd'.repeat(64) };
    const entry = { model: 'served-{checkpoint}', prices: { input: 1, output: 4 }, parameters: { temperature: 0.6 } };
    endpoint.replies(says('<think>hm</think>No idea.', { usage: { prompt_tokens: 500, completion_tokens: 20 } }));
    const speaking = policy({ entry, checkpoint });
    expect(speaking.component).toEqual({
      name: 'local',
      parameters: {
        kind: 'language',
        model: 'served-{checkpoint}',
        parameters: { temperature: 0.6 },
        greedy: { temperature: 0 },
      },
    });
    expect(speaking.checkpoint).toBe(checkpoint);
    const [{ spoken, answer, decisions } = expect.fail('nothing was planned')] = await planned(speaking, [
      task as Task,
    ]);
    expect({ answer, decisions }).toEqual({ answer: 'No idea.', decisions: 20 });
    expect(spoken).toMatchObject({
      model: { name: 'served-step-7', checkpoint: checkpoint.digest },
      prompt: await lake.prompt?.(task as Task),
      completion: 'No idea.',
      reasoning: 'hm',
      finishReason: 'stop',
      usage: { input: 500, output: 20 },
      cost: { total: 0.00058 },
    });
  });

  it('plans for any environment that has words', async () => {
    const tasks = ['7 + 5', '3 + 4'].map((sum) => ({ id: sum, group: 'sums', instance: { sum }, facts: {} }));
    const { descriptor } = lake;
    const prompt: Environment['prompt'] = async ({ instance }) => `What is ${instance['sum']}?`;
    endpoint.script(wellBehaved((prompt) => (prompt === 'What is 7 + 5?' ? '12' : '7')));
    const answers = (await planned(policy({ environment: { descriptor, prompt } }), tasks)).map(({ answer }) => answer);
    expect(answers).toEqual(['12', '7']);
    expect(() => policy({ environment: { descriptor } })).toThrow(NoPrompt);
  });

  it('says when its text was cut', async () => {
    const tasks = await lakes(2);
    const cut = await planned(policy({ entry: { parameters: { max_tokens: 2 } } }), tasks);
    expect(cut.map(({ truncated }) => truncated)).toEqual([true, true]);
    const verdicts = await listed(lake.judge(cut));
    for (const verdict of verdicts) expect(verdict).toMatchObject({ outcome: 'truncated' });
  });

  it('a refusal and a call of tools are what it did; what a filter held back is not', async () => {
    const [task] = (await lakes(1)) as [Task];
    const becomes = async (reply: Reply): Promise<Partial<Planned> | undefined> => {
      endpoint.replies(reply);
      const [planned] = await listed(policy().plan({ tasks: [task], seed }));
      return planned && { answer: planned.answer, ...(planned.fault === undefined ? {} : { fault: planned.fault }) };
    };
    const calls = { message: { content: null, tool_calls: [{}] } };
    expect(await becomes(says('', { message: { content: null, refusal: 'No.' } }))).toEqual({ answer: 'No.' });
    expect(await becomes(says('', calls))).toEqual({ answer: null });
    expect(await becomes(says('half', { finish: 'content_filter' }))).toMatchObject({
      answer: null,
      fault: { kind: 'content-filter' },
    });
  });

  it('plans come in order, however late one of them is answered', async () => {
    const tasks = await lakes(8);
    const answer = wellBehaved(mind);
    const late: (() => void)[] = [];
    endpoint.script((index, seen) => (response) => {
      const reply = (): void => answer(index, seen)(response, seen);
      if (index === 0) late.push(reply);
      else reply();
      if (index === tasks.length - 1) for (const reply of late) reply();
    });
    const inOrder = await planned(policy({ entry: { concurrency: 3 } }), tasks);
    expect(inOrder.map(({ task }) => task)).toEqual(tasks);
    expect(endpoint.seen).toHaveLength(tasks.length);
  });

  it('what was answered before is not asked again', async () => {
    const [tasks, book] = [await lakes(4), new Notebook()];
    const first = await planned(policy({ settings: { book } }), tasks, { samples: 2 });
    expect(endpoint.seen).toHaveLength(8);
    expect(await planned(policy({ settings: { book } }), tasks, { samples: 2 })).toEqual(first);
    expect(endpoint.seen).toHaveLength(8);
    await planned(policy({ settings: { book } }), tasks, { seed: 'second' });
    expect(endpoint.seen).toHaveLength(12);
  });
});

describe('an endpoint that fails', () => {
  const answer = wellBehaved(mind);
  /** Answers all questions but those about some tasks. */
  const except = async (tasks: readonly Task[], reply: Reply): Promise<void> => {
    const prompts = new Set(await Promise.all(tasks.map((task) => lake.prompt?.(task))));
    endpoint.script((index, seen) => (prompts.has(promptIn(seen.body)) ? reply : answer(index, seen)));
  };
  const faultsOf = (planned: readonly Planned[]): unknown[] => planned.map(({ fault }) => fault?.kind);

  it('at one question spoils that try and no other', async () => {
    const tasks = await lakes(4);
    await except([tasks[1] as Task], status(400, { error: { message: 'too long' } }));
    const planned = await listed(policy().plan({ tasks, seed: 'first' }));
    expect(faultsOf(planned)).toEqual([undefined, 'bad-request', undefined, undefined]);
    expect(planned[1]).toMatchObject({ answer: null, fault: { message: expect.stringContaining('too long') } });
    expect(planned[1]?.spoken).toBe(undefined);
  });

  it('at every question is not asked for ever', async () => {
    const tasks = await lakes(40);
    await except(tasks.slice(1), status(400));
    const planned: Planned[] = [];
    const reading = async (): Promise<void> => {
      for await (const plan of policy().plan({ tasks, seed: 'first' })) planned.push(plan);
    };
    await expect(reading()).rejects.toThrow(BadRequest);
    expect(faultsOf(planned)).toEqual([undefined, ...Array.from({ length: 15 }, () => 'bad-request')]);
  });

  it('because of the key ends all of it at once', async () => {
    endpoint.replies(status(401));
    await expect(listed(policy().plan({ tasks: await lakes(40), seed: 'first' }))).rejects.toThrow(Unauthorised);
    expect(endpoint.seen.length).toBeLessThanOrEqual(8);
  });

  it('when all is spent, what was paid for is recorded, and the same goes on from there with more', async () => {
    const tasks = await lakes(12);
    const entry = { prices: { input: 0, output: 1_000_000 }, parameters: { max_tokens: 10 }, concurrency: 4 };
    endpoint.script(() => says('a: R\nb: D', { usage: { prompt_tokens: 1, completion_tokens: 10 } }));
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

  it('what nobody waits for any more is ended', async () => {
    const tasks = await lakes(6);
    await except(tasks.slice(1), silent);
    for await (const { task } of policy().plan({ tasks, seed: 'first' })) {
      expect(task).toEqual(tasks[0]);
      await endpoint.arrived(tasks.length);
      break;
    }
    while (endpoint.underWay > 0) await new Promise(setImmediate);
  });

  it('when it is stopped, nothing more is asked', async () => {
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

describe.skipIf(realUrl === undefined)(`a real endpoint ${realUrl ?? ''}`, () => {
  it('says something about a lake that can be judged', async () => {
    const tasks = await lakes(2);
    const real = new LanguagePolicy({ model: new Model(realModel()), environment: lake, checkpoint: null });
    const planned = await listed(real.plan({ tasks, seed: 'first' }));
    expect(planned.map(({ fault }) => fault)).toEqual([undefined, undefined]);
    for (const verdict of await listed(lake.judge(planned))) expect(verdict).toHaveProperty('outcome');
  });
});

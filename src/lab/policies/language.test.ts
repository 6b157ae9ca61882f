import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Solver } from '../../../testbed/lake/solver/solver.ts';
import { lakeOf } from '../../../testbed/lake/tasks.ts';
import { listed } from '../environments/contract/tasks.ts';
import type { Environment, Task } from '../environments/environment.ts';
import { Model } from '../models/model.ts';
import { answerReply, Endpoint, type Reply } from '../models/testing/endpoint.ts';
import { Notebook } from '../models/testing/models.ts';
import { realModel, realUrl } from '../models/testing/real-model.ts';
import { wellBehaved } from '../models/testing/well-behaved.ts';
import { policyContract } from './contract/policy-contract.ts';
import { LanguagePolicy, NoPrompt } from './language.ts';
import type { Planned } from './policy.ts';
import { lake, lakes, mind, type PolicyRequest, speaking } from './testing/speaking.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());
beforeEach(() => endpoint.script(wellBehaved(mind)));

const policy = (wanted: Omit<PolicyRequest, 'url'> = {}): LanguagePolicy => speaking({ url: endpoint.url, ...wanted });

policyContract('language', {
  open: async () => policy(),
  tasks: lakes,
  draws: 'others',
  knowsBest: true,
  many: 100,
});

describe('a language policy', () => {
  const [seed, samples] = ['first', 1];
  const planned = (of: LanguagePolicy, tasks: readonly Task[], more: object = {}): Promise<Planned[]> =>
    listed(of.plan({ tasks, seed, samples, ...more }));

  it("gets the environment's prompt, and its text is judged unchanged", async () => {
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

  it('records its text, reasoning, usage and checkpoint', async () => {
    const [task] = await lakes(1);
    const checkpoint = { reference: 'step-7', digest: 'd'.repeat(64) };
    const entry = { model: 'served-{checkpoint}', prices: { input: 1, output: 4 }, parameters: { temperature: 0.6 } };
    endpoint.replies(
      answerReply('<think>hm</think>No idea.', { usage: { prompt_tokens: 500, completion_tokens: 20 } }),
    );
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
    const [{ spoken, answer, agentSteps } = expect.fail('nothing was planned')] = await planned(speaking, [
      task as Task,
    ]);
    expect({ answer, agentSteps }).toEqual({ answer: 'No idea.', agentSteps: 20 });
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

  it('plans for any environment with prompts', async () => {
    const tasks = ['7 + 5', '3 + 4'].map((sum) => ({ id: sum, family: 'sums', instance: { sum }, facts: {} }));
    const { descriptor } = lake;
    const prompt: Environment['prompt'] = async ({ instance }) => `What is ${instance['sum']}?`;
    endpoint.script(wellBehaved((prompt) => (prompt === 'What is 7 + 5?' ? '12' : '7')));
    const answers = (await planned(policy({ environment: { descriptor, prompt } }), tasks)).map(({ answer }) => answer);
    expect(answers).toEqual(['12', '7']);
    expect(() => policy({ environment: { descriptor } })).toThrow(NoPrompt);
  });

  it('marks truncated texts', async () => {
    const tasks = await lakes(2);
    const cut = await planned(policy({ entry: { parameters: { max_tokens: 2 } } }), tasks);
    expect(cut.map(({ truncated }) => truncated)).toEqual([true, true]);
    const verdicts = await listed(lake.judge(cut));
    for (const verdict of verdicts) expect(verdict).toMatchObject({ outcome: 'truncated' });
  });

  it('treats refusals and tool calls as answers, and filtered answers as faults', async () => {
    const [task] = (await lakes(1)) as [Task];
    const becomes = async (reply: Reply): Promise<Partial<Planned> | undefined> => {
      endpoint.replies(reply);
      const [planned] = await listed(policy().plan({ tasks: [task], seed }));
      return planned && { answer: planned.answer, ...(planned.fault === undefined ? {} : { fault: planned.fault }) };
    };
    const calls = { message: { content: null, tool_calls: [{}] } };
    expect(await becomes(answerReply('', { message: { content: null, refusal: 'No.' } }))).toEqual({ answer: 'No.' });
    expect(await becomes(answerReply('', calls))).toEqual({ answer: null });
    expect(await becomes(answerReply('half', { finish: 'content_filter' }))).toMatchObject({
      answer: null,
      fault: { kind: 'content-filter' },
    });
  });

  it('keeps plans in order, however late one of them is answered', async () => {
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

  it('reuses recorded answers', async () => {
    const [tasks, book] = [await lakes(4), new Notebook()];
    const first = await planned(policy({ settings: { book } }), tasks, { samples: 2 });
    expect(endpoint.seen).toHaveLength(8);
    expect(await planned(policy({ settings: { book } }), tasks, { samples: 2 })).toEqual(first);
    expect(endpoint.seen).toHaveLength(8);
    await planned(policy({ settings: { book } }), tasks, { seed: 'second' });
    expect(endpoint.seen).toHaveLength(12);
  });
});

describe.skipIf(realUrl === undefined)(`a real endpoint ${realUrl ?? ''}`, () => {
  it('gives an answer about a lake that can be judged', async () => {
    const tasks = await lakes(2);
    const real = new LanguagePolicy({ model: new Model(realModel()), environment: lake, checkpoint: null });
    const planned = await listed(real.plan({ tasks, seed: 'first' }));
    expect(planned.map(({ fault }) => fault)).toEqual([undefined, undefined]);
    for (const verdict of await listed(lake.judge(planned))) expect(verdict).toHaveProperty('outcome');
  });
});

import { describe, expect, it } from 'vitest';
import { hasPython, openArithmetic } from '../environments/command/testing/arithmetic.ts';
import { collected, listed } from '../environments/contract/tasks.ts';
import type { Environment, Rollout, RolloutRequest, Task } from '../environments/environment.ts';
import { judged } from '../evaluation/judged.ts';
import { coin, environmentThat, heads, tails } from '../evaluation/testing/stubs.ts';
import { policyContract } from './contract/policy-contract.ts';
import { CannotPlay, openPlaying } from './playing.ts';
import type { Policy } from './policy.ts';

describe.skipIf(!hasPython)('the arithmetic example; skipped without Python', () => {
  policyContract('a pupil that its environment lets play', {
    open: async () => {
      const environment = await openArithmetic();
      const policy = openPlaying({ environment, name: 'pupil', checkpoint: null, parameters: { skill: 0.6 } });
      return closingToo(policy, environment);
    },
    tasks: async () => {
      const environment = await openArithmetic();
      const request = { configuration: environment.start, split: 'validation', count: 20, seed: 'played' } as const;
      const { tasks } = await collected(environment.generate(request));
      await environment.close();
      return tasks;
    },
    draws: 'others',
    knowsBest: false,
    many: 300,
  });
});

function closingToo(policy: Policy, environment: Environment): Policy {
  return { ...policy, close: () => policy.close().then(() => environment.close()) };
}

const report = { prompt: 'heads?', completion: 'heads!', stopReason: 'stop', tokens: { input: 2, output: 1 } };

/** An environment that runs a scripted policy, and its requests. */
function playground(play: (task: Task, sample: number) => Partial<Rollout> = () => ({})) {
  const requests: RolloutRequest[] = [];
  const judge = (): never => {
    throw new Error('it was judged already');
  };
  async function* rollout(request: RolloutRequest): AsyncGenerator<Rollout, void, undefined> {
    requests.push(request);
    for (const task of request.tasks) {
      for (let sample = 0; sample < request.samples; sample++)
        yield { task, sample, answer: 'heads', verdict: heads, ...play(task, sample) };
    }
  }
  return { requests, environment: { ...environmentThat(judge), rollout } };
}

describe('a policy that its environment runs', () => {
  it('runs under its name there, with the given checkpoint and parameters', async () => {
    const { requests, environment } = playground();
    const checkpoint = { reference: '/trained/update-7', step: 7 };
    const policy = openPlaying({ environment, name: 'tosser', checkpoint, parameters: { luck: 1 } });
    await listed(policy.plan({ tasks: [coin(1)], samples: 2, seed: 'a' }));
    expect(requests).toMatchObject([
      { samples: 2, seed: 'a', policy: { name: 'tosser', checkpoint: '/trained/update-7' } },
    ]);
    expect(requests[0]?.policy.parameters).toEqual({ luck: 1 });
    expect(policy).toMatchObject({ component: { name: 'tosser', parameters: { luck: 1 } }, checkpoint });
    expect(policy.canBeGreedy).toBe(false);
  });

  it('is judged by the environment during the run, and not again', async () => {
    const spoilt = { spoilt: { kind: 'crash', message: 'the coin is gone' } };
    const verdicts = [heads, tails('edge'), spoilt];
    const { environment } = playground((_, sample) => ({ verdict: verdicts[sample] ?? heads }));
    const policy = openPlaying({ environment, name: 'tosser', checkpoint: null });
    const plans = policy.plan({ tasks: [coin(1), coin(2)], samples: 3, seed: 'a' });
    const evaluated = await listed(judged(environment, plans));
    expect(evaluated.map(({ verdict }) => verdict)).toEqual([...verdicts, ...verdicts]);
    expect(evaluated.map(({ planned }) => [planned.task.id, planned.sample])).toEqual(
      ['coin-1', 'coin-2'].flatMap((id) => [0, 1, 2].map((sample) => [id, sample])),
    );
  });

  it('passes on what the environment reports about a try', async () => {
    const { environment } = playground((_, sample) =>
      sample === 0 ? { ...report, agentSteps: 3, truncated: true } : {},
    );
    const policy = openPlaying({ environment, name: 'tosser', checkpoint: null });
    expect(await listed(policy.plan({ tasks: [coin(1)], samples: 2, seed: 'a' }))).toEqual([
      { task: coin(1), sample: 0, answer: 'heads', verdict: heads, report, agentSteps: 3, truncated: true },
      { task: coin(1), sample: 1, answer: 'heads', verdict: heads },
    ]);
  });

  it('gets tasks in batches without repeated ids', async () => {
    const { requests, environment } = playground();
    const policy = openPlaying({ environment, name: 'tosser', checkpoint: null });
    const numbers = [...Array.from({ length: 150 }, (_, i) => i), 149, 3];
    const plans = await listed(policy.plan({ tasks: numbers.map((number) => coin(number)), seed: 'a' }));
    expect(plans.map(({ task }) => task)).toEqual(numbers.map((number) => coin(number)));
    expect(requests.map(({ tasks }) => tasks.length)).toEqual([64, 64, 22, 2]);
  });

  it('is refused if the environment cannot run policies', () => {
    const environment = environmentThat(() => heads);
    expect(() => openPlaying({ environment, name: 'tosser', checkpoint: null })).toThrow(CannotPlay);
  });
});

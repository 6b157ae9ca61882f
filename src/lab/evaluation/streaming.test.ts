import { describe, expect, it, vi } from 'vitest';
import type { Task } from '../environments/environment.ts';
import { type EvaluateRequest, evaluate } from './evaluate.ts';
import { coin, environmentThat, heads, policyThat } from './testing/stubs.ts';

const fault = { kind: 'timeout', message: 'the endpoint did not answer' };
const answers = policyThat(() => ({ answer: 1 }));
const judges = environmentThat(() => heads);

/** Endless tasks that count how many were read and whether reading stopped. */
function endless() {
  const seen = { taken: 0, left: false };
  async function* tasks(): AsyncGenerator<Task, void, undefined> {
    try {
      for (;;) yield coin(seen.taken++);
    } finally {
      seen.left = true;
    }
  }
  return { seen, tasks: tasks() };
}

function request(tasks: AsyncIterable<Task> | Iterable<Task>, change: { signal?: AbortSignal } = {}): EvaluateRequest {
  return { tasks: { name: 'pool', split: 'probe', tasks }, seed: 'a', ...change };
}

describe('any number of tries', () => {
  it.each([
    ['answers', () => false],
    ['faults', () => true],
    ['faults between answers', (number: number) => number % 1000 > 3],
  ])('are made a bounded number ahead, and none after the consumer stops: %s', async (_, isFault) => {
    const { seen, tasks } = endless();
    const policy = policyThat(({ instance }) =>
      isFault(instance['number'] as number) ? { answer: null, fault } : { answer: 1 },
    );
    let read = 0;
    for await (const { planned } of evaluate(judges, policy, request(tasks))) {
      expect(planned.task.id).toBe(`coin-${read}`);
      read += 1;
      expect(seen.taken - read).toBeLessThanOrEqual(2100);
      if (read === 20_000) break;
    }
    const afterwards = seen.taken;
    await new Promise(setImmediate);
    expect(seen).toEqual({ taken: afterwards, left: true });
  });

  it('are yielded as they are judged, including faults', async () => {
    const gate = Promise.withResolvers<void>();
    async function* slow(): AsyncGenerator<Task, void, undefined> {
      yield coin(0);
      yield coin(1);
      await gate.promise;
      yield coin(2);
    }
    const policy = policyThat(({ id }) => (id === 'coin-1' ? { answer: null, fault } : { answer: 1 }));
    const rollouts = evaluate(judges, policy, request(slow()));
    expect(await rollouts.next()).toMatchObject({ value: { verdict: heads } });
    expect(await rollouts.next()).toMatchObject({ value: { verdict: { spoilt: fault } } });
    gate.resolve();
    expect(await rollouts.next()).toMatchObject({ value: { verdict: heads } });
    expect((await rollouts.next()).done).toBe(true);
  });

  it('yield to the event loop', async () => {
    const { tasks } = endless();
    const stop = new AbortController();
    setImmediate(() => stop.abort(new Error('stopped by a person')));
    const reading = async (): Promise<void> => {
      for await (const _ of evaluate(judges, answers, request(tasks, { signal: stop.signal })));
    };
    await expect(reading()).rejects.toThrow('stopped by a person');
  });
});

describe('an evaluation ends', () => {
  const reason = new Error('stopped by a person');

  it('when it is aborted, before it starts and while it waits', async () => {
    const { seen, tasks } = endless();
    const before = evaluate(judges, answers, request(tasks, { signal: AbortSignal.abort(reason) }));
    await expect(before.next()).rejects.toBe(reason);
    expect(seen.taken).toBe(0);
    const stop = new AbortController();
    async function* stuck(): AsyncGenerator<Task, void, undefined> {
      yield coin(1);
      await new Promise(() => {});
    }
    const rollouts = evaluate(judges, answers, request(stuck(), { signal: stop.signal }));
    await rollouts.next();
    const waiting = rollouts.next();
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('when it is aborted while the buffer is full: nothing keeps waiting', async () => {
    const { seen, tasks } = endless();
    const hangs = environmentThat(() => new Promise(() => {}));
    const policy = policyThat(({ id }) => (id === 'coin-0' ? { answer: 1 } : { answer: null, fault }));
    const stop = new AbortController();
    const waiting = evaluate(hangs, policy, request(tasks, { signal: stop.signal })).next();
    await vi.waitFor(() => expect(seen.taken).toBeGreaterThan(2000));
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await vi.waitFor(() => expect(seen.left).toBe(true));
  });

  it('when tasks, policy or environment fail, after the earlier results', async () => {
    const broken = new Error('broken');
    function* breaking(): Generator<Task, void, undefined> {
      yield coin(1);
      throw broken;
    }
    const breaks = () => {
      throw broken;
    };
    const unlessFirst = <Result>({ id }: Task, result: Result): Result => {
      if (id !== 'coin-1') throw broken;
      return result;
    };
    const all = [
      evaluate(judges, answers, request(breaking())),
      evaluate(
        judges,
        policyThat((task) => unlessFirst(task, { answer: 1 })),
        request([coin(1), coin(2)]),
      ),
      evaluate(
        environmentThat(({ task }) => unlessFirst(task, heads)),
        answers,
        request([coin(1), coin(2)]),
      ),
      evaluate(judges, answers, {
        ...request([coin(1), coin(2)]),
        onProgress: ({ rollouts }) => rollouts > 1 && breaks(),
      }),
    ];
    for (const rollouts of all) {
      expect((await rollouts.next()).value).toMatchObject({ verdict: heads });
      await expect(rollouts.next()).rejects.toBe(broken);
    }
  });
});

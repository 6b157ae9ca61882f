// An engineer that could not answer is asked again a bounded number of times, with growing pauses.
import { expect, it } from 'vitest';
import { FakeClock } from '../../lab/models/testing/fake-clock.ts';
import { EngineerErrored, mostTries, retried } from './asking.ts';

const errored = new EngineerErrored(
  {
    engineer: { name: 'flaky.py' },
    context: null,
    error: { kind: 'crashed', message: 'the engineer program flaky.py ended with exit code 3' },
    raw: null,
  },
  '',
);

/** Fails this often, and then returns the number of calls. */
function failing(times: number): () => Promise<number> {
  let asked = 0;
  return async () => {
    asked += 1;
    if (asked <= times) throw errored;
    return asked;
  };
}

const { signal } = new AbortController();

it('an errored engineer is asked again until it answers, or up to the maximum number of tries', async () => {
  for (let times = 0; times <= mostTries + 1; times++) {
    const clock = new FakeClock();
    const asking = retried(failing(times), { signal, clock });
    if (times < mostTries) expect(await asking).toBe(times + 1);
    else await expect(asking).rejects.toBe(errored);
    expect(clock.pauses).toEqual([5000, 15_000, 45_000, 135_000].slice(0, times));
  }
});

it('an engineer is not asked again after another kind of error or an abort', async () => {
  const clock = new FakeClock();
  const bug = retried(() => Promise.reject(new TypeError('x is not a function')), { signal, clock });
  await expect(bug).rejects.toThrow(TypeError);
  const stopping = new AbortController();
  const onRetry = async (): Promise<void> => stopping.abort(new Error('enough'));
  await expect(retried(failing(1), { signal: stopping.signal, clock, onRetry })).rejects.toThrow('enough');
  expect(clock.pauses).toEqual([]);
});

// Waiting for a server, and the reports of it.
import { describe, expect, it } from 'vitest';
import { TransientError } from './errors.ts';
import { retry, Waits } from './retry.ts';

const { signal } = new AbortController();

/** Fails this many times, then answers. */
function failing(times: number): () => Promise<string> {
  let left = times;
  return async () => {
    if (left-- > 0) throw new TransientError('nobody there');
    return 'an answer';
  };
}

const givenUp = ({ message }: TransientError): Error => new Error(`given up: ${message}`);

describe('waiting for a server', () => {
  it('does not report short waits', async () => {
    const reported: (string | null)[] = [];
    const patience = { ms: 60_000, waits: new Waits((what) => reported.push(what)), signal };
    expect(await retry(patience, failing(3), givenUp)).toBe('an answer');
    expect(reported).toEqual([]);
  });

  it('reports the wait before it gives up, even if one attempt outlasts the patience', async () => {
    const reported: (string | null)[] = [];
    const patience = { ms: 200, waits: new Waits((what) => reported.push(what)), signal };
    let attempts = 0;
    const slow = async (): Promise<never> => {
      if (++attempts > 1) await new Promise((resolve) => setTimeout(resolve, 300));
      throw new TransientError('nobody there');
    };
    await expect(retry(patience, slow, givenUp)).rejects.toThrow('given up');
    expect([attempts, reported]).toEqual([2, ['nobody there']]);
  });
});

// Waiting for a server, and the reports of it.
import { describe, expect, it } from 'vitest';
import { TransientError } from './errors.ts';
import { Waits } from './retry.ts';

const { signal } = new AbortController();

/** Fails this many times, then answers. */
function failing(times: number): () => Promise<string> {
  let left = times;
  return async () => {
    if (left-- > 0) throw new TransientError('nobody there');
    return 'an answer';
  };
}

/** The waits for a server, and what they report. */
function waiting(patience: number): { waits: Waits; reported: (string | null)[] } {
  const reported: (string | null)[] = [];
  return { waits: new Waits('memory:', patience, ({ away }) => reported.push(away?.what ?? null)), reported };
}

describe('waiting for a server', () => {
  it('does not report short waits', async () => {
    const { waits, reported } = waiting(60);
    expect(await waits.retry(failing(3), signal)).toBe('an answer');
    expect(reported).toEqual([]);
  });

  it('reports the wait before it gives up, even if one attempt outlasts the patience', async () => {
    const { waits, reported } = waiting(0.2);
    let attempts = 0;
    const slow = async (): Promise<never> => {
      if (++attempts > 1) await new Promise((resolve) => setTimeout(resolve, 300));
      throw new TransientError('nobody there');
    };
    await expect(waits.retry(slow, signal)).rejects.toThrow('memory: cannot be reached');
    expect([attempts, reported]).toEqual([2, ['nobody there']]);
  });
});

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
  it('reports once for all calls that wait, and once that the server is back', async () => {
    const { waits, reported } = waiting(60);
    await Promise.all([1, 2, 3].map(() => waits.retry(failing(7), signal)));
    expect(reported).toEqual(['nobody there', null]);
  });

  it('does not report that it is back after giving up', async () => {
    // Long enough for a reported pause to start within it, however long those before it were.
    const { waits, reported } = waiting(3);
    await expect(waits.retry(failing(99), signal)).rejects.toThrow('memory: cannot be reached: nobody there');
    expect(reported).toEqual(['nobody there']);
  });
});

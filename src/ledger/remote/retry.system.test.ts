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
  it('reports once for all calls that wait, and once that the server is back', async () => {
    const reported: (string | null)[] = [];
    const patience = { ms: 60_000, waits: new Waits((what) => reported.push(what)), signal };
    await Promise.all([1, 2, 3].map(() => retry(patience, failing(7), givenUp)));
    expect(reported).toEqual(['nobody there', null]);
  });

  it('does not report that it is back after giving up', async () => {
    const reported: (string | null)[] = [];
    // Long enough for a reported pause to start within it, however long those before it were.
    const patience = { ms: 3_000, waits: new Waits((what) => reported.push(what)), signal };
    await expect(retry(patience, failing(99), givenUp)).rejects.toThrow('given up: nobody there');
    expect(reported).toEqual(['nobody there']);
  });
});

// Waiting for brokers, and what is told of it.
import { describe, expect, it } from 'vitest';
import { patiently, Waits } from './patience.ts';
import { Stumble } from './stumble.ts';

const { signal } = new AbortController();

/** Fails so often, then answers. */
function failing(times: number): () => Promise<string> {
  let left = times;
  return async () => {
    if (left-- > 0) throw new Stumble('nobody there', { maybeDone: false });
    return 'an answer';
  };
}

const givenUp = ({ message }: Stumble): Error => new Error(`given up: ${message}`);

describe('waiting for brokers', () => {
  it('tells nothing of what is over soon', async () => {
    const told: (string | null)[] = [];
    const patience = { ms: 60_000, waits: new Waits((what) => told.push(what)), signal };
    expect(await patiently(patience, failing(3), givenUp)).toBe('an answer');
    expect(told).toEqual([]);
  });

  it('tells once of all calls that wait, and once that it is over', async () => {
    const told: (string | null)[] = [];
    const patience = { ms: 60_000, waits: new Waits((what) => told.push(what)), signal };
    await Promise.all([1, 2, 3].map(() => patiently(patience, failing(7), givenUp)));
    expect(told).toEqual(['nobody there', null]);
  });

  it('does not tell that it is over where it was given up', async () => {
    const told: (string | null)[] = [];
    // Long enough for a pause that is told of to begin within it, however long those before it were.
    const patience = { ms: 3_000, waits: new Waits((what) => told.push(what)), signal };
    await expect(patiently(patience, failing(99), givenUp)).rejects.toThrow('given up: nobody there');
    expect(told).toEqual(['nobody there']);
  });
});

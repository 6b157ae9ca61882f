import { describe, expect, it } from 'vitest';
import { serverAway, TransientError } from '../ledger/remote/errors.ts';
import { TablesBusy } from '../projections/warehouse/errors.ts';
import { Follower } from './following.ts';
import type { Notice } from './session.ts';

function follower() {
  const noticed: Notice[] = [];
  const stop = new AbortController();
  const notify = async (notice: Notice): Promise<void> => void noticed.push(notice);
  return { noticed, stop, follower: new Follower({ notify, signal: stop.signal }) };
}

const away = serverAway('kafka://there:9092/lab', new TransientError('no answer'));

describe('a follower', () => {
  it('continues when the store is back, and reports once that it waits and once that it continues', async () => {
    const { noticed, follower: one } = follower();
    const rounds = [[1, 2], [], [3]];
    const seen: number[] = [];
    const begin = async function* (): AsyncGenerator<number> {
      yield* rounds.shift() ?? [];
      if (rounds.length === 0) return;
      one.onWait({ store: 'evidence', away: { what: 'no answer', seconds: 30 } });
      throw away;
    };
    for await (const item of one.following(begin)) seen.push(item);
    expect(seen).toEqual([1, 2, 3]);
    expect(noticed).toEqual([
      {
        kind: 'waiting',
        waiting: { store: 'evidence', away: { what: 'no answer', seconds: Number.POSITIVE_INFINITY } },
      },
      { kind: 'note', text: 'it is back' },
    ]);
  });

  it.each([
    ['a store that is away before the first event', [], away],
    ['tables that another process holds', [1], new TablesBusy('there', 30)],
    ['any other error', [1], new Error('broken')],
  ])('ends with %s', async (_, before, error) => {
    const { follower: one } = follower();
    const begin = async function* (): AsyncGenerator<number> {
      yield* before;
      throw error;
    };
    const all = async (): Promise<void> => {
      for await (const _item of one.following(begin));
    };
    await expect(all()).rejects.toBe(error);
  });

  it('stops waiting when it is aborted', async () => {
    const { stop, follower: one } = follower();
    const seen: number[] = [];
    const begin = async function* (): AsyncGenerator<number> {
      yield 1;
      setImmediate(() => stop.abort());
      throw away;
    };
    for await (const item of one.following(begin)) seen.push(item);
    expect(seen).toEqual([1]);
  });
});

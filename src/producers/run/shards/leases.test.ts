// Who holds which shard, according to the work stream and this process's own clock, independent of other clocks.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../../schemas/streams.ts';
import { type TinyPlace, tinyPlace } from '../testing/tiny.ts';
import { ShardLeases } from './leases.ts';

const run = 'tiny00000000';
const root = '0'.repeat(64);
const [ada, bob] = ['ada:1:00000000', 'bob:2:00000000'];
let at: TinyPlace;
let clock: number;
let leases: ShardLeases;

beforeEach(async () => {
  at = await tinyPlace();
  onTestFinished(() => at.close());
  clock = 1_000_000;
  leases = new ShardLeases(at.ledger, run, () => clock);
});

async function written(type: string, data: object, happened = Date.now()): Promise<void> {
  const stage = type === 'RunClaimed' ? null : 1;
  const envelope = { id: crypto.randomUUID(), type, version: 1, actor: 'producer/rollouts', run, stage, causes: [] };
  const event = { ...envelope, at: new Date(happened).toISOString(), data };
  await at.ledger.append(streamOf.work(run), [event], { expect: 'any' });
  await leases.read();
}

const claim = (shard: number, fencingToken: number, holder: string, leaseSeconds = 30): object => ({
  ...{ shard, attempt: fencingToken - 1, fencingToken, holder, leaseSeconds },
});
const completion = (shard: number, fencingToken: number, holder: string): object => ({
  ...{
    shard,
    attempt: fencingToken - 1,
    fencingToken,
    holder,
    attempts: [{ attempt: fencingToken - 1, count: 3, root }],
  },
});
const completed = (): unknown[] => leases.completedIn(1, 2).map(({ shard, holder }) => [shard, holder]);

describe('a shard', () => {
  it('is free until it is claimed', async () => {
    expect(leases.openIn(1, 2)).toBe(0);
    await written('ShardClaimed', claim(0, 1, ada));
    expect(leases.openIn(1, 2)).toBe(1);
    await written('ShardClaimed', claim(1, 1, bob));
    expect(leases.openIn(1, 2)).toBeNull();
    expect(leases.heldIn(1, 2)).toBe(2);
    expect(leases.openIn(2, 2)).toBe(0);
  });

  it('is free again once it is released', async () => {
    await written('ShardClaimed', claim(0, 1, ada));
    await written('ShardClaimed', claim(0, 1, ada, 0));
    expect(leases.openIn(1, 1)).toBe(0);
    expect(leases.fencingTokenOf(1, 0)).toBe(1);
  });

  it('is never free again once it is completed', async () => {
    await written('ShardClaimed', claim(0, 1, ada));
    await written('ShardCompleted', completion(0, 1, ada));
    clock += 1e9;
    expect(leases.openIn(1, 1)).toBeNull();
    expect(leases.untilOpen(1, 1)).toBeNull();
    expect(completed()).toEqual([[0, ada]]);
  });

  it('is not completed by a process that lost it', async () => {
    await written('ShardClaimed', claim(0, 1, ada));
    await written('ShardClaimed', claim(0, 2, bob));
    await written('ShardCompleted', completion(0, 1, ada));
    expect(completed()).toEqual([]);
    await written('ShardCompleted', completion(0, 2, bob));
    await written('ShardCompleted', completion(0, 1, ada));
    expect(completed()).toEqual([[0, bob]]);
    expect(leases.winnerOf(1, 0)).toMatchObject({ holder: bob, fencingToken: 2 });
  });

  it('is not released or renewed by a process that lost it', async () => {
    await written('ShardClaimed', claim(0, 1, ada));
    await written('ShardClaimed', claim(0, 2, bob));
    await written('ShardClaimed', claim(0, 1, ada, 0));
    await written('ShardClaimed', claim(0, 2, ada));
    expect(leases.isHeldBy(1, { shard: 0, fencingToken: 2, holder: bob })).toBe(true);
    expect(leases.openIn(1, 1)).toBeNull();
  });
});

describe('a lease', () => {
  it.each([
    ['in sync', 0],
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
  ])('counts from when it is first seen if the clock of its holder is %s', async (_, skew) => {
    await written('ShardClaimed', claim(0, 1, ada), Date.now() + skew);
    clock += 29_999;
    expect(leases.openIn(1, 1)).toBeNull();
    expect(leases.untilOpen(1, 1)).toBe(1);
    clock += 1;
    expect(leases.openIn(1, 1)).toBe(0);
    expect(leases.untilOpen(1, 1)).toBe(0);
  });

  it('starts again with each renewal', async () => {
    await written('ShardClaimed', claim(0, 1, ada));
    clock += 29_999;
    await written('ShardClaimed', claim(0, 1, ada));
    clock += 29_999;
    expect(leases.openIn(1, 1)).toBeNull();
  });

  it('that has expired still belongs to its holder until another process claims the shard', async () => {
    await written('ShardClaimed', claim(0, 1, ada));
    clock += 60_000;
    await written('ShardCompleted', completion(0, 1, ada));
    expect(completed()).toEqual([[0, ada]]);
  });
});

describe('an orchestrator', () => {
  const claimOf = (fencingToken: number, holder: string, leaseSeconds = 60): object => ({
    fencingToken,
    holder,
    leaseSeconds,
  });

  it('that loses the run loses its shards, while workers keep theirs', async () => {
    await written('RunClaimed', claimOf(1, ada));
    await written('ShardClaimed', claim(0, 1, ada));
    await written('ShardClaimed', claim(1, 1, bob));
    await written('RunClaimed', claimOf(2, 'cem:3:00000000'));
    expect(leases.openIn(1, 2)).toBe(0);
    expect(leases.isHeldBy(1, { shard: 1, fencingToken: 1, holder: bob })).toBe(true);
    await written('ShardCompleted', completion(0, 1, ada));
    expect(completed()).toEqual([]);
    expect(leases.winnerOf(1, 0)).toMatchObject({ holder: 'cem:3:00000000' });
  });

  it('that releases the run releases its shards', async () => {
    await written('RunClaimed', claimOf(1, ada));
    await written('ShardClaimed', claim(0, 1, ada));
    await written('RunClaimed', claimOf(1, ada));
    expect(leases.openIn(1, 1)).toBeNull();
    await written('RunClaimed', claimOf(1, ada, 0));
    expect(leases.openIn(1, 1)).toBe(0);
  });
});

describe('a reported attempt', () => {
  const claimOf = (fencingToken: number): object => ({
    fencingToken,
    holder: `x:${fencingToken}:00000000`,
    leaseSeconds: 60,
  });
  const finished = (part: string, attempt: number, begin: number, fencingToken?: number): object => ({
    ...{ part, attempt, begin, count: 4, root },
    ...(fencingToken === undefined ? {} : { fencingToken }),
  });
  const counting = (part: string): unknown[] =>
    leases.finishedAt(1, part).map((one) => [one.attempt, one.begin, one.counting]);

  it('is kept if its claim was valid, even after another process takes the run', async () => {
    await written('RunClaimed', claimOf(1));
    await written('AttemptFinished', finished('training', 0, 0, 1));
    await written('RunClaimed', claimOf(2));
    await written('AttemptFinished', finished('training', 1, 4, 1));
    await written('AttemptFinished', finished('training', 100_000, 4, 2));
    await written('AttemptFinished', finished('training', 7, 8));
    expect(counting('training')).toEqual([
      [0, 0, 4],
      [100_000, 4, 4],
    ]);
  });

  it('of a shard must be reported by the holder of the shard, not by the holder of the run', async () => {
    await written('RunClaimed', claimOf(5));
    await written('ShardClaimed', claim(0, 1, ada));
    await written('AttemptFinished', finished('0', 0, 0, 1));
    await written('AttemptFinished', finished('0', 400_000, 4, 5));
    await written('ShardClaimed', claim(0, 2, bob));
    await written('AttemptFinished', finished('0', 1, 4, 1));
    await written('AttemptFinished', finished('0', 100_000, 4, 2));
    await written('AttemptFinished', finished('1', 0, 0, 5));
    expect(counting('0')).toEqual([
      [0, 0, 4],
      [100_000, 4, 4],
    ]);
    expect(counting('1')).toEqual([[0, 0, 4]]);
  });

  it('replaces all earlier events from its first one on', async () => {
    await written('RunClaimed', claimOf(1));
    for (const [attempt, begin] of [
      [0, 0],
      [1, 4],
      [2, 8],
    ] as const) {
      await written('AttemptFinished', finished('training', attempt, begin, 1));
    }
    await written('AttemptFinished', finished('training', 3, 6, 1));
    expect(counting('training')).toEqual([
      [0, 0, 4],
      [1, 4, 2],
      [3, 6, 4],
    ]);
    await written('AttemptFinished', finished('training', 4, 0, 1));
    expect(counting('training')).toEqual([[4, 0, 4]]);
  });
});

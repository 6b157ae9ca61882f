// Several processes that want one shard: the one with the highest fencing token holds it, the others get its name, and
// every submitted event is found in the end.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../../schemas/streams.ts';
import { collect } from '../../../ledger/contract/fixture.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { type TinyPlace, tinyPlace } from '../testing/tiny.ts';
import { PendingClaim, ShardClaim, ShardLeases, ShardLost, type ShardTaker } from './leases.ts';

const run = 'tiny00000000';
const sealed = [{ stream: 'evidence-tiny00000000-1-0-0', count: 3, root: '0'.repeat(64) }];
const hour = 3_600_000;
let at: TinyPlace;

beforeEach(async () => {
  at = await tinyPlace();
  onTestFinished(() => at.close());
});

function taker(holder: string, change: Partial<ShardTaker> & { readonly now?: () => number } = {}): ShardTaker {
  const { now, ...others } = change;
  const board = new ShardLeases(at.ledger, run, now);
  return {
    ledger: at.ledger,
    run,
    leases: board,
    holder,
    leaseSeconds: 60,
    check: async () => {},
    bid: new PendingClaim(),
    ...others,
  };
}

async function taken(by: ShardTaker, shards = 1): Promise<ShardClaim> {
  const claim = await ShardClaim.take(by, 1, shards);
  if (claim === null) throw new Error('no shard was open');
  onTestFinished(() => claim.release());
  return claim;
}

const ada = 'ada:1:00000000';
const bob = 'bob:2:00000000';

/** Reports what is appended through it; before the first append, something else happens. */
function overtaken(first: () => Promise<unknown>, sent: string[]): Ledger {
  return new Proxy(at.ledger, {
    get: (target, name: keyof Ledger) => {
      const member = target[name];
      if (name !== 'append') return typeof member === 'function' ? member.bind(target) : member;
      return async (...[stream, events, options]: Parameters<Ledger['append']>) => {
        if (sent.length === 0) await first();
        sent.push(...events.map(({ id }) => id));
        return await target.append(stream, events, options);
      };
    },
  });
}

async function written(): Promise<ReadonlySet<string>> {
  return new Set((await collect(at.ledger.read(streamOf.work(run)))).map(({ id }) => id));
}

describe('claiming a shard', () => {
  it('gives each process another shard while any are free', async () => {
    const claims = await Promise.all([ada, bob].map((holder) => taken(taker(holder), 2)));
    expect(claims.map(({ place }) => place.shard).toSorted()).toEqual([0, 1]);
    expect(await ShardClaim.take(taker('cem:3:00000000'), 1, 2)).toBeNull();
  });

  it('after an expired lease gets a higher fencing token and a new attempt, and fences off the previous holder', async () => {
    let now = 0;
    const first = await taken(taker(ada));
    expect(first.place).toMatchObject({ shard: 0, fencingToken: 1, attempt: 0 });
    const late = taker(bob, { now: () => now });
    await late.leases.read();
    now += hour;
    const second = await taken(late);
    expect(second.place).toMatchObject({ shard: 0, fencingToken: 2, attempt: 1 });
    const says = 'shard 0 of stage 1 was taken over by process 2 on bob: results written here do not count';
    await expect(first.complete(sealed)).rejects.toThrow(says);
    await expect(first.check()).rejects.toBeInstanceOf(ShardLost);
    await first.release();
    await second.check();
    await second.complete(sealed);
    const types = (await collect(at.ledger.read(streamOf.work(run)))).map(({ type }) => type);
    expect(types).toEqual(['ShardClaimed', 'ShardClaimed', 'ShardCompleted']);
  });

  it('takes the next shard after a lost race, with the same event', async () => {
    const sent: string[] = [];
    const ledger = overtaken(() => taken(taker(ada), 2), sent);
    const claim = await taken(taker(bob, { ledger }), 2);
    expect(claim.place.shard).toBe(1);
    expect(sent.length).toBe(2);
    expect(new Set(sent).size).toBe(1);
  });

  it('withdraws a lost claim of the last shard, without affecting its holder', async () => {
    let now = 0;
    const first = await taken(taker(ada));
    const sent: string[] = [];
    // Its claim seems to have expired, and is renewed just then.
    const renewed = async (): Promise<void> => {
      const { leases: board } = taker(ada);
      await board.read();
      const event = {
        ...{ id: crypto.randomUUID(), type: 'ShardClaimed', version: 1, at: new Date().toISOString() },
        ...{ actor: 'producer/rollouts', run, stage: 1, causes: [], data: { ...first.place, leaseSeconds: 60 } },
      };
      await at.ledger.append(streamOf.work(run), [event], { expect: board.end });
    };
    const late = taker(bob, { ledger: overtaken(renewed, sent), now: () => now });
    await late.leases.read();
    now += hour;
    expect(await ShardClaim.take(late, 1, 1)).toBeNull();
    await ShardClaim.settle(late);
    const there = await written();
    expect(sent.filter((id) => !there.has(id))).toEqual([]);
    await first.check();
    await first.complete(sealed);
  });
});

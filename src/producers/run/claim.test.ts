// Several processes that want one run: the one with the highest fencing token holds it, and no other one can write.
import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { Claim, type Claiming, isHeld, lastClaim, RunHeld } from './claim.ts';
import { runFacts } from './testing/run-facts.ts';
import { runTiny, type TinyPlace, tinyPlace } from './testing/tiny.ts';

const run = 'tiny00000000';
const elsewhere = 'another-machine:77:0badcafe';
let at: TinyPlace;

beforeEach(async () => {
  at = await tinyPlace();
  onTestFinished(() => at.close());
});

const claiming = (change: Partial<Claiming> = {}): Claiming => ({
  ...{ ledger: at.ledger, run, stream: streamOf.run(run), name: 'tiny', actor: 'producer/run', leaseSeconds: 60 },
  ...change,
});

async function claimAs(data: object): Promise<void> {
  await append('RunClaimed', null, data);
}

/** An event of a worker with a part of a stage, in the work stream between claims of the run. */
async function shardClaimed(): Promise<void> {
  const shard = { shard: 0, attempt: 0, fencingToken: 1, holder: elsewhere, leaseSeconds: 60 };
  await append('ShardClaimed', 1, shard);
}

async function append(type: string, stage: number | null, data: object): Promise<void> {
  const event = {
    id: crypto.randomUUID(),
    type,
    version: 1,
    at: new Date().toISOString(),
    actor: 'producer/run',
    run,
    stage,
    causes: [],
    data,
  };
  await at.ledger.append(streamOf.work(run), [event], { expect: 'any' });
}

/** Before this ledger first appends to the work stream, something else happens there. */
function overtaken(first: () => Promise<unknown>): Ledger {
  let isFirst = true;
  return new Proxy(at.ledger, {
    get: (target, name: keyof Ledger) => {
      const member = target[name];
      if (name !== 'append') return typeof member === 'function' ? member.bind(target) : member;
      return async (...[stream, events, options]: Parameters<Ledger['append']>) => {
        if (isFirst && stream === streamOf.work(run)) {
          isFirst = false;
          await first();
        }
        return await target.append(stream, events, options);
      };
    },
  });
}

const claims = async (): Promise<unknown[]> =>
  (await collect(at.ledger.read(streamOf.work(run))))
    .filter(({ type }) => type === 'RunClaimed')
    .map(({ envelope }) => envelope.data);

describe('claiming a run', () => {
  it("fails at once with the holder's name if the run is held", async () => {
    const claim = await Claim.take(claiming());
    await expect(runTiny(at, { run })).rejects.toThrow(`run tiny is held by process ${process.pid} on ${hostname()}`);
    expect(await runFacts(at.ledger, run)).toEqual([]);
    await claim.release();
    await (await Claim.take(claiming())).release();
  });

  it('succeeds for exactly one of many concurrent processes', async () => {
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => Claim.take(claiming())));
    const won = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(won).toHaveLength(1);
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(RunHeld);
    await won[0]?.release();
  });

  it('fails if another claim was appended first', async () => {
    const quicker: Claim[] = [];
    const ledger = overtaken(async () => quicker.push(await Claim.take(claiming())));
    await expect(Claim.take(claiming({ ledger }))).rejects.toBeInstanceOf(RunHeld);
    expect(await claims()).toEqual([{ fencingToken: 1, holder: quicker[0]?.holder, leaseSeconds: 60 }]);
    await quicker[0]?.release();
  });

  it('is not affected by events of workers', async () => {
    const claim = await Claim.take(claiming({ ledger: overtaken(shardClaimed) }));
    expect(claim.fencingToken).toBe(1);
    await shardClaimed();
    await claim.check();
    await claim.release();
    expect(await lastClaim(at.ledger, run)).toMatchObject({ fencingToken: 1, leaseSeconds: 0 });
  });

  it('waits until the lease of a remote holder expires', async () => {
    await claimAs({ fencingToken: 4, holder: elsewhere, leaseSeconds: 0.05 });
    const waited: string[] = [];
    const claim = await Claim.take(claiming({ onWait: (holder) => waited.push(holder) }));
    expect(waited).toEqual(['process 77 on another-machine']);
    expect(claim.fencingToken).toBe(5);
    await claim.release();
  });

  it('fails if the remote holder renews its lease', async () => {
    const holds = { fencingToken: 4, holder: elsewhere, leaseSeconds: 0.05 };
    await claimAs(holds);
    const renewed: Promise<void>[] = [];
    const taking = Claim.take(claiming({ onWait: () => renewed.push(claimAs(holds)) }));
    await expect(taking).rejects.toBeInstanceOf(RunHeld);
    await Promise.all(renewed);
  });

  it('gets a fencing token above all earlier ones, even if the latest claim has a lower one', async () => {
    await claimAs({ fencingToken: 7, holder: elsewhere, leaseSeconds: 0 });
    await claimAs({ fencingToken: 3, holder: 'a-straggler:1:00000000', leaseSeconds: 0.05 });
    const claim = await Claim.take(claiming());
    expect(claim.fencingToken).toBe(8);
    await claim.release();
  });
});

describe('a process that lost a run', () => {
  it('appends nothing more', async () => {
    const before = (await lastClaim(at.ledger, run))?.fencingToken ?? 0;
    const losing = runTiny(at, {
      run,
      tell: async (progress) => {
        const isTraining = progress.kind === 'step' && progress.step.do === 'train';
        if (isTraining) await claimAs({ fencingToken: before + 2, holder: 'quicker:1:00000000', leaseSeconds: 60 });
      },
    });
    await expect(losing).rejects.toBeInstanceOf(RunHeld);
    const types = (await collect(at.ledger.read(streamOf.run(run)))).map(({ type }) => type);
    expect(types).toEqual(['RunStarted', 'ConfigAdopted', 'StageStarted']);
    expect(await lastClaim(at.ledger, run)).toMatchObject({ fencingToken: 2, leaseSeconds: 60 });
  });

  it('cannot release the claim of its successor', async () => {
    const lost = await Claim.take(claiming());
    const now = { fencingToken: 2, holder: elsewhere, leaseSeconds: 60 };
    await claimAs(now);
    await expect(lost.check()).rejects.toBeInstanceOf(RunHeld);
    await lost.release();
    expect((await claims()).at(-1)).toEqual(now);
    const giveUp = new AbortController();
    const third = Claim.take(claiming({ signal: giveUp.signal, onWait: () => giveUp.abort() }));
    await expect(third).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('does not renew its lease after a suspension, and fails its next check', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const lost = await Claim.take(claiming());
    vi.advanceTimersByTime(20_000);
    await vi.waitFor(async () => expect(await claims()).toHaveLength(2));
    const now = { fencingToken: 2, holder: elsewhere, leaseSeconds: 60 };
    await claimAs(now);
    vi.advanceTimersByTime(40_000);
    await lost.release();
    expect((await claims()).at(-1)).toEqual(now);
    await expect(lost.check()).rejects.toBeInstanceOf(RunHeld);
  });

  it('fails its check even if the new holder has the same fencing token', async () => {
    const lost = await Claim.take(claiming());
    await claimAs({ fencingToken: lost.fencingToken, holder: elsewhere, leaseSeconds: 60 });
    await expect(lost.check()).rejects.toBeInstanceOf(RunHeld);
    await lost.release();
    expect(await claims()).toHaveLength(2);
  });
});

describe('a local holder', () => {
  it('is alive for two leases after a renewal, unknown after that, and dead once its process has ended', async () => {
    const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    onTestFinished(() => void other.kill());
    const holder = `${hostname()}:${other.pid}:0badcafe`;
    const claimed = { fencingToken: 1, holder, leaseSeconds: 60 };
    expect(isHeld({ ...claimed, recordedMs: Date.now() - 70_000 })).toBe(true);
    expect(isHeld({ ...claimed, recordedMs: Date.now() - 130_000 })).toBeNull();
    expect(isHeld({ ...claimed, recordedMs: Date.now() + 3_600_000 })).toBeNull();
    const exited = new Promise((resolve) => other.once('exit', resolve));
    other.kill();
    await exited;
    expect(isHeld({ ...claimed, recordedMs: Date.now() })).toBe(false);
  });

  it('whose process id was reused does not block the run for ever', async () => {
    // The parent process is alive, and never claimed anything.
    await claimAs({ fencingToken: 1, holder: `${hostname()}:${process.ppid}:0badcafe`, leaseSeconds: 0.01 });
    const { recordedMs = 0 } = (await lastClaim(at.ledger, run)) ?? {};
    await vi.waitUntil(() => Date.now() > recordedMs + 20);
    const claim = await Claim.take(claiming());
    expect(claim.fencingToken).toBe(2);
    await claim.release();
  });
});

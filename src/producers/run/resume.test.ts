// Runs that are stopped, in every way there is, and gone on with: what they come to is what they would have come to.
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { Claim, lastClaim, RunHeld } from './claim.ts';
import { killRuns } from './testing/killed.ts';
import { conductTiny, type TinyPlace, tinyPlace } from './testing/tiny.ts';
import { toldBy } from './testing/told.ts';

const run = 'tiny00000000';
let unstopped: TinyPlace;
let expected: readonly object[];

beforeAll(async () => {
  unstopped = await tinyPlace();
  await conductTiny(unstopped, { run });
  expected = await toldBy(unstopped.ledger, run);
}, 60_000);

afterAll(async () => {
  await unstopped.close();
});

async function place(): Promise<TinyPlace> {
  const made = await tinyPlace();
  onTestFinished(() => made.close());
  return made;
}

describe('a run', () => {
  it('comes to the same whenever it is made', async () => {
    const again = await place();
    const { ended, history } = await conductTiny(again, { run });
    expect(ended).toBe('completed');
    expect(history.stages).toHaveLength(2);
    expect(await toldBy(again.ledger, run)).toEqual(expected);
  });

  it('stopped after each of its decisions and gone on with, comes to the same', async () => {
    const stopped = await place();
    for (let isOver = false; !isOver; ) {
      const stopping = new AbortController();
      const conducted = conductTiny(stopped, {
        run,
        signal: stopping.signal,
        tell: async ({ kind }) => {
          if (kind === 'decided') stopping.abort('enough');
        },
      });
      isOver = await conducted.then(
        () => true,
        (reason: unknown) => {
          expect(reason).toBe('enough');
          return false;
        },
      );
    }
    expect(await toldBy(stopped.ledger, run)).toEqual(expected);
  }, 60_000);

  it('killed at any moment and gone on with, comes to the same', async () => {
    const { finished, faults } = await killRuns(10, 1, (process) => ((process * 7) % 10) / 10);
    expect(faults).toEqual([]);
    expect(finished).toBeGreaterThan(0);
  }, 120_000);

  it('that is over stays as it is', async () => {
    const before = await toldBy(unstopped.ledger, run);
    const { ended } = await conductTiny(unstopped, { run });
    expect(ended).toBe('completed');
    expect(await toldBy(unstopped.ledger, run)).toEqual(before);
  });

  it('tells what broke it off, and goes on all the same', async () => {
    const broken = await place();
    const breaking = conductTiny(broken, {
      run,
      tell: async (progress) => {
        if (progress.kind === 'training') throw new Error('the disk is on fire');
      },
    });
    await expect(breaking).rejects.toThrow('the disk is on fire');
    const events = await collect(broken.ledger.read(streamOf.run(run)));
    expect(events.at(-1)?.reading).toMatchObject({
      type: 'RunFailed',
      data: { reason: 'Error', message: 'the disk is on fire', during: 'train', resumable: true },
    });
    const { ended } = await conductTiny(broken, { run });
    expect(ended).toBe('completed');
  });
});

describe('of several processes that want a run', () => {
  const claiming = (at: TinyPlace, leaseSeconds = 60) =>
    ({ ledger: at.ledger, run, name: 'tiny', actor: 'producer/run', leaseSeconds }) as const;

  it('one has it, and the other is told who, before anything is trained', async () => {
    const at = await place();
    const claim = await Claim.take(claiming(at));
    await expect(conductTiny(at, { run })).rejects.toThrow(
      `run tiny is in the hands of process ${process.pid} on ${hostname()}`,
    );
    expect(await toldBy(at.ledger, run)).toEqual([]);
    await claim.release();
    await (await Claim.take(claiming(at))).release();
  });

  it('exactly one has it when they come at once', async () => {
    const at = await place();
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => Claim.take(claiming(at))));
    const won = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(won).toHaveLength(1);
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(RunHeld);
    await won[0]?.release();
  });

  it('one elsewhere is waited for as long as its lease, and no longer', async () => {
    const at = await place();
    const elsewhere = { epoch: 4, holder: 'another-machine:77:0badcafe', leaseSeconds: 0.05 };
    await claimAs(at, elsewhere);
    const waited: string[] = [];
    const claim = await Claim.take({ ...claiming(at), onWait: (holder) => waited.push(holder) });
    expect(waited).toEqual(['process 77 on another-machine']);
    expect(claim.epoch).toBe(5);
    await claim.release();
  });

  it('whoever lost it writes nothing more', async () => {
    const at = await place();
    const before = (await lastClaim(at.ledger, run))?.epoch ?? 0;
    const losing = conductTiny(at, {
      run,
      tell: async (progress) => {
        const isTraining = progress.kind === 'step' && progress.step.do === 'train';
        if (isTraining) await claimAs(at, { epoch: before + 2, holder: 'quicker:1:00000000', leaseSeconds: 60 });
      },
    });
    await expect(losing).rejects.toBeInstanceOf(RunHeld);
    const types = (await collect(at.ledger.read(streamOf.run(run)))).map(({ type }) => type);
    expect(types).toEqual(['RunStarted', 'ConfigAdopted', 'StageStarted']);
  });

  async function claimAs({ ledger }: TinyPlace, data: object): Promise<void> {
    const event = {
      id: crypto.randomUUID(),
      type: 'RunClaimed',
      version: 1,
      at: new Date().toISOString(),
      actor: 'producer/run',
      run,
      stage: null,
      causes: [],
      data,
    };
    await ledger.append(streamOf.work(run), [event], { expect: 'any' });
  }
});

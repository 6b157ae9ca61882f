// Workers of a run as separate processes, killed, suspended and resumed, and with wrong clocks: the run has the same
// results as in one piece, every rollout counts once, and a process that lost a shard gets the holder's name.
import { hostname } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { streamOf } from '../../../../schemas/streams.ts';
import { collect } from '../../../ledger/contract/fixture.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import { AttemptTree } from '../../../ledger/seal/attempt.ts';
import { RunHeld } from '../claim.ts';
import type { RunEnd } from '../orchestrate.ts';
import { type Counted, countedOf } from '../testing/counted.ts';
import { faultyWorkers } from '../testing/faulty-workers.ts';
import { type Part, Process } from '../testing/processes.ts';
import { SlowModel, spokenSettings } from '../testing/spoken.ts';
import { runTiny, splitPlace, type TinyPlace, type TinyRun, tinyPlace } from '../testing/tiny.ts';

const run = 'spoken000000';
const leaseSeconds = 0.6;
const settings = { stages: 1, shards: 3 };
let model: SlowModel;
let expected: Counted;
let at: TinyPlace;

beforeAll(async () => {
  model = await SlowModel.start();
  const whole = await tinyPlace();
  const inOnePiece = spokenSettings({ ...settings, shards: 1 });
  await runTiny(whole, { run, settings: inOnePiece, entries: model.entries });
  expected = await countedOf(whole.ledger, run);
  await whole.close();
}, 60_000);
afterAll(() => model.endpoint.stop());

beforeEach(async () => {
  at = await tinyPlace();
  onTestFinished(() => at.close());
});

function started(part: Partial<Part> = {}): Process {
  const made = new Process({ folder: at.folder, run, leaseSeconds, ...part });
  onTestFinished(() => made.kill());
  return made;
}

async function runWith(how: Omit<TinyRun, 'run'> = {}): Promise<RunEnd> {
  return await runTiny(at, {
    run,
    settings: spokenSettings(settings),
    entries: model.entries,
    leaseSeconds,
    ...how,
  });
}

/** All steps before rollouts are needed. */
async function trained(): Promise<void> {
  await runWith({ until: ({ do: next }) => next === 'gather' });
}

/** The attempts that count, by shard; each matches its seal. */
async function sealed(): Promise<readonly string[]> {
  const events = await collect(at.ledger.readAll({ types: ['EvidenceSealed'] }));
  const attempts = events.flatMap(({ reading }) =>
    reading.known && reading.type === 'EvidenceSealed' ? reading.data.attempts : [],
  );
  for (const attempt of attempts) expect(await new AttemptTree(at.ledger, attempt.stream).seal()).toEqual(attempt);
  return attempts.map(({ stream }) => stream.replace(`evidence-${run}-1-`, ''));
}

async function stored(stream: string): Promise<number> {
  return (await collect(at.ledger.read(stream))).length;
}

/** It holds a shard, and waits for answers to its questions. */
async function withAShard(worker: Process): Promise<void> {
  await worker.says('shard-taken');
  await model.endpoint.arrived();
}

describe('a run with workers', () => {
  it('has the same results as in one piece, and leaves all shards to them', async () => {
    await trained();
    // No process is killed here: on a busy machine a short lease would let one worker take over from another.
    const leaseSeconds = 60;
    const workers = [started({ leaseSeconds }), started({ leaseSeconds })];
    const { ended } = await runWith({ leavesShards: true, leaseSeconds });
    expect(ended).toBe('completed');
    expect(await Promise.all(workers.map((worker) => worker.ended()))).toEqual([0, 0]);
    expect(await countedOf(at.ledger, run)).toEqual(expected);
    const claimed = (await collect(at.ledger.readAll({ types: ['ShardCompleted'] }))).map(
      ({ envelope }) => envelope.data,
    );
    const holders = new Set(claimed.map((data) => (data as { holder: string }).holder));
    expect([...holders].every((holder) => !holder.startsWith(`${hostname()}:${process.pid}:`))).toBe(true);
    expect(await sealed()).toEqual(['0-0', '1-0', '2-0']);
  }, 60_000);

  it('has the same results after a worker is killed, even if clocks differ', async () => {
    await trained();
    model.hold();
    const killed = started({ skew: 1 });
    await withAShard(killed);
    await killed.kill();
    model.release();
    const other = started({ skew: -1 });
    await runWith({ leavesShards: true });
    expect(await other.ended()).toBe(0);
    expect(await sealed()).toEqual(['0-1', '1-0', '2-0']);
    expect(await countedOf(at.ledger, run)).toEqual(expected);
  }, 60_000);

  it('takes over the shard of a suspended worker, which reports the loss when it wakes up', async () => {
    await trained();
    model.hold();
    const stalled = started();
    await withAShard(stalled);
    stalled.send('SIGSTOP');
    model.release();
    await runWith();
    stalled.send('SIGCONT');
    expect(await stalled.ended()).toBe(0);
    const lost = stalled.progress.find(({ kind }) => kind === 'shard-lost');
    const winner = `process ${process.pid} on ${hostname()}`;
    expect(lost?.says).toBe(`shard 0 of stage 1 was taken over by ${winner}: results written here do not count`);
    expect(await sealed()).toEqual(['0-1', '1-0', '2-0']);
    expect(await countedOf(at.ledger, run)).toEqual(expected);
  }, 60_000);
});

describe('two orchestrators with a common worker', () => {
  it('one completes the run, and the other records nothing more and names the holder', async () => {
    await trained();
    model.hold();
    const stalled = started({ orchestrates: { settings, models: model.models } });
    await withAShard(stalled);
    stalled.send('SIGSTOP');
    const worker = started();
    await worker.says('shard-taken');
    model.release();
    await vi.waitUntil(async () => await orchestratedUnlessHeld(), { timeout: 20_000, interval: 200 });
    expect(await worker.ended()).toBe(0);
    const there = await stored(streamOf.run(run));
    stalled.send('SIGCONT');
    expect(await stalled.ended()).toBe(1);
    expect(stalled.stderr).toContain(`run tiny is held by process ${process.pid} on ${hostname()}`);
    expect(await stored(streamOf.run(run))).toBe(there);
    expect(await sealed()).toContain('0-1');
    expect(await countedOf(at.ledger, run)).toEqual(expected);
  }, 60_000);

  async function orchestratedUnlessHeld(): Promise<boolean> {
    try {
      return (await runWith()).ended === 'completed';
    } catch (fault) {
      if (fault instanceof RunHeld) return false;
      throw fault;
    }
  }
});

describe('random faults at random times', () => {
  it.each([
    ['in one store', tinyPlace],
    ['whose evidence is reported', () => splitPlace()],
  ])(
    'in a run %s do not change its results, and completed shards count once',
    async (_, newPlace) => {
      const drawn = (purpose: string): number => Number.parseInt(sha256(purpose).slice(0, 8), 16) / 2 ** 32;
      const { faults } = await faultyWorkers({ rounds: 3, drawn, newPlace });
      expect(faults).toEqual([]);
    },
    120_000,
  );
});

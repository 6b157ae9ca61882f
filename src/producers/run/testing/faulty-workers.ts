// Runs with an orchestrator and workers, all of which may be killed or suspended for longer than their lease at any
// moment; and a comparison of their results with those of a run in one piece.
import { setTimeout } from 'node:timers/promises';
import { streamOf } from '../../../../schemas/streams.ts';
import { AttemptTree } from '../../../ledger/seal/attempt.ts';
import { usualLimits } from '../../evidence/reported.ts';
import { readHistory } from '../../history/reading.ts';
import { RunHeld } from '../claim.ts';
import { ShardLeases } from '../shards/leases.ts';
import { countedOf } from './counted.ts';
import { Process } from './processes.ts';
import { SlowModel, spokenSettings } from './spoken.ts';
import { runTiny, type TinyPlace, tinyPlace } from './tiny.ts';

const run = 'spoken000000';
const leaseSeconds = 0.4;
const settings = { stages: 1, shards: 5 };
/** In milliseconds: a shard takes some dozens of answers. */
const latency = 25;
const workers = 2;
const faultsOfARun = 3;
/** Most faults come in the middle of a shard, the others after at most this number of lines of a process. */
const inAShard = 0.75;
const linesOfAProcess = 20;

export interface FaultyWorkers {
  readonly rounds: number;
  /** A deterministic number from 0 to 1 for a purpose. */
  readonly drawn: (purpose: string) => number;
  readonly onRound?: (round: number, faults: number) => void;
  /** Where the runs are. */
  readonly newPlace?: () => Promise<TinyPlace>;
}

export interface Survived {
  /** The number of shard claims that were lost. */
  readonly lost: number;
  /** The problems found in all rounds. */
  readonly faults: readonly string[];
}

export async function faultyWorkers({
  rounds,
  drawn,
  onRound,
  newPlace = tinyPlace,
}: FaultyWorkers): Promise<Survived> {
  const model = await SlowModel.start(latency);
  const faults: string[] = [];
  let lost = 0;
  try {
    const expected = await inOnePiece(model);
    for (let round = 0; round < rounds; round++) {
      const place = await newPlace();
      try {
        const crashed = await disturbed(place, model, (purpose) => drawn(`${round} ${purpose}`));
        await finished(place, model);
        const wrong = [...crashed, ...(await wrongIn(place, expected))];
        lost += await lostIn(place);
        faults.push(...wrong.map((fault) => `round ${round}: ${fault}`));
      } finally {
        await place.close();
      }
      onRound?.(round + 1, faults.length);
    }
  } finally {
    await model.endpoint.stop();
  }
  return { lost, faults };
}

async function inOnePiece(model: SlowModel): Promise<string> {
  const whole = await tinyPlace();
  await runTiny(whole, { run, settings: spokenSettings({ ...settings, shards: 1 }), entries: model.entries });
  const expected = JSON.stringify(await countedOf(whole.ledger, run));
  await whole.close();
  return expected;
}

/**
 * An orchestrator and its workers with random faults. In the end all of them are gone; returns the errors they ended
 * with.
 */
async function disturbed(place: TinyPlace, model: SlowModel, drawn: (purpose: string) => number): Promise<string[]> {
  const { folder } = place;
  const all: Process[] = [];
  const begin = (index: number): Process => {
    const orchestrates = index === 0 ? { orchestrates: { settings, models: model.models } } : {};
    const made = new Process({ folder, run, leaseSeconds, skew: index - 1, ...orchestrates });
    all.push(made);
    return made;
  };
  const processes = [begin(0)];
  await processes[0]?.says('decided');
  for (let index = 1; index <= workers; index++) processes.push(begin(index));
  try {
    for (let fault = 0; fault < faultsOfARun; fault++) {
      const victim = Math.floor(drawn(`victim ${fault}`) * processes.length);
      const one = processes[victim];
      if (one === undefined) continue;
      if (drawn(`place ${fault}`) < inAShard) await one.saysAnother('shard-taken');
      else await one.saysSoMany(Math.floor(drawn(`moment ${fault}`) * linesOfAProcess));
      if (drawn(`kind ${fault}`) < 0.5) {
        await one.kill();
        processes[victim] = begin(victim);
      } else {
        one.send('SIGSTOP');
        await setTimeout(2 * leaseSeconds * 1000);
        one.send('SIGCONT');
      }
    }
  } finally {
    await Promise.all(processes.map((one) => one.kill()));
  }
  const ends = await Promise.all(all.map(async (one) => ({ code: await one.ended(), says: one.stderr })));
  // A process that has lost the run ends by itself, with a message.
  return ends.flatMap(({ code, says }) => (code === null || code === 0 || says.includes('RunHeld') ? [] : [says]));
}

async function finished(place: TinyPlace, model: SlowModel): Promise<void> {
  for (;;) {
    try {
      const limits = { ...usualLimits, rollouts: 5 };
      await runTiny(place, {
        ...{ run, settings: spokenSettings(settings), entries: model.entries, leaseSeconds, limits },
      });
      return;
    } catch (fault) {
      if (!(fault instanceof RunHeld)) throw fault;
      await setTimeout(leaseSeconds * 1000);
    }
  }
}

/** Claims under which nothing was completed. */
async function lostIn({ ledger }: TinyPlace): Promise<number> {
  const claims = new Set<string>();
  let completed = 0;
  for await (const events of ledger.read(streamOf.work(run))) {
    for (const { reading, envelope } of events) {
      if (!reading.known) continue;
      if (reading.type === 'ShardCompleted') completed += 1;
      if (reading.type === 'ShardClaimed')
        claims.add(`${envelope.stage} ${reading.data.shard} ${reading.data.fencingToken}`);
    }
  }
  return claims.size - completed;
}

/** Results that differ from those in one piece, a completed shard that is not sealed, or a seal of missing events. */
async function wrongIn({ ledger }: TinyPlace, expected: string): Promise<string[]> {
  const faults: string[] = [];
  const found = JSON.stringify(await countedOf(ledger, run));
  if (found !== expected) faults.push(`expected ${expected.slice(0, 300)}, found ${found.slice(0, 300)}`);
  const board = new ShardLeases(ledger, run);
  await board.read();
  for (const { stage, sealed } of (await readHistory(ledger, run)).stages) {
    const roots = (sealed?.data.attempts ?? []).map(({ root }) => root);
    const completed = board
      .completedIn(stage, settings.shards)
      .flatMap(({ attempts }) => attempts.map(({ root }) => root));
    if (roots.join() !== completed.join()) faults.push(`stage ${stage}: completed ${completed}, sealed ${roots}`);
    for (const { stream, count, root } of sealed?.data.attempts ?? []) {
      const there = await new AttemptTree(ledger, stream).seal();
      if (there.count !== count || there.root !== root) faults.push(`${stream} is not what was sealed`);
    }
  }
  return faults;
}

// Long versions of the system tests: writers, copies, runs, runs with workers, ablations and projections killed hundreds of times, six processes on
// the same tables for a minute, a server under load for ten minutes, and, if a broker is available, the faults that evidence in Kafka survives.
// Prints its seed; the same seed chooses the same moments.
// `npm run soak -- --seed 7 --kills 200 --copy-kills 100 --run-kills 100 --workers 20 --ablation-kills 50 --projection-kills 200 --crowd-seconds 60
// --server-seconds 600 --kafka-faults 20 --eventstore-faults 20`, or some parts alone: `npm run soak -- --only server,crowd`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { streamOf } from '../schemas/streams.ts';
import { newSeed, randomFrom } from '../src/base/testing/random.ts';
import { soakServer } from '../src/cli/serve/testing/soak.ts';
import { soakKafka } from '../src/cli/testing/kafka-faults.ts';
import { killOnce } from '../src/ledger/contract/kills.ts';
import { CopyBench } from '../src/ledger/copy/testing/copy-bench.ts';
import { killCopies, recordWithBlobs } from '../src/ledger/copy/testing/killed.ts';
import { disturbed } from '../src/ledger/eventstore/testing/disturbed.ts';
import { whyNoKafka } from '../src/ledger/kafka/testing/broker.ts';
import { openLedger } from '../src/ledger/open.ts';
import { killAblations } from '../src/producers/ablation/testing/killed.ts';
import { faultyWorkers } from '../src/producers/run/testing/faulty-workers.ts';
import { killRuns } from '../src/producers/run/testing/killed.ts';
import { crowd } from '../src/projections/testing/crowd.ts';
import type { Part } from '../src/projections/testing/crowd-process.ts';
import { killProjections } from '../src/projections/testing/killed.ts';
import { writeVaried } from '../src/projections/testing/varied.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    only: { type: 'string' },
    kills: { type: 'string', default: '200' },
    'copy-kills': { type: 'string', default: '100' },
    'run-kills': { type: 'string', default: '100' },
    workers: { type: 'string', default: '20' },
    'ablation-kills': { type: 'string', default: '50' },
    'projection-kills': { type: 'string', default: '200' },
    'crowd-seconds': { type: 'string', default: '60' },
    'server-seconds': { type: 'string', default: '600' },
    'kafka-faults': { type: 'string', default: '20' },
    'eventstore-faults': { type: 'string', default: '20' },
  },
});
const seed = values.seed ?? newSeed();
const drawn = randomFrom(seed);
const kills = Number(values.kills);
const copyKills = Number(values['copy-kills']);
const runKills = Number(values['run-kills']);
const workerRounds = Number(values.workers);
const ablationKills = Number(values['ablation-kills']);
const projectionKills = Number(values['projection-kills']);
const crowdSeconds = Number(values['crowd-seconds']);
const serverSeconds = Number(values['server-seconds']);
const kafkaFaults = Number(values['kafka-faults']);
const eventStoreFaults = Number(values['eventstore-faults']);

/** The number of kills that left something wrong. */
async function soakAppends(): Promise<number> {
  console.log(`soak: seed ${seed}, ${kills} kills of a writer on SQLite`);
  const folder = mkdtempSync(join(tmpdir(), 'icecore-soak-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  let faults = 0;
  let [stored, acknowledged] = [0, 0];
  for (let kill = 1; kill <= kills; kill++) {
    const stream = streamOf.evidence('soak', 1, kill, 1);
    const found = await killOnce(ledger, stream, drawn(`moment ${kill}`), drawn(`size ${kill}`));
    stored += found.stored;
    acknowledged += found.acknowledged;
    if (found.fault !== null) {
      faults++;
      console.log(`soak: kill ${kill}: ${found.fault}`);
    }
    if (kill % 20 === 0)
      console.log(`soak: ${kill} kills, ${acknowledged} events acknowledged, ${stored} stored, ${faults} faults`);
  }
  await ledger.close();
  rmSync(folder, { recursive: true, force: true });
  return faults;
}

async function soakCopies(): Promise<number> {
  console.log(`soak: seed ${seed}, ${copyKills} kills of a copy with blobs`);
  const bench = new CopyBench();
  await recordWithBlobs(await bench.ledger('original'), await bench.blobs('original'));
  const moment = (process: number): number => drawn(`copy ${process}`);
  const { finished, faults } = await killCopies(bench, copyKills, moment, {
    onKill: (kill, found) => {
      if (kill % 20 === 0) console.log(`soak: ${kill} kills of a copy, ${found} faults`);
    },
  });
  await bench.close();
  for (const fault of faults) console.log(`soak: ${fault}`);
  console.log(`soak: ${finished} copies completed, equal to the original unless reported above`);
  return faults.length;
}

async function soakRuns(): Promise<number> {
  console.log(`soak: seed ${seed}, ${runKills} kills of a run`);
  const moment = (process: number): number => drawn(`run ${process}`);
  const { finished, faults } = await killRuns(
    runKills,
    Math.floor(drawn('seed of a run') * 1000),
    moment,
    (kill, found) => {
      if (kill % 20 === 0) console.log(`soak: ${kill} kills of a run, ${found} faults`);
    },
  );
  for (const fault of faults) console.log(`soak: ${fault}`);
  console.log(`soak: ${finished} runs completed, equal to an undisturbed one unless reported above`);
  return faults.length;
}

async function soakWorkers(): Promise<number | null> {
  if (workerRounds === 0) return null;
  console.log(`soak: seed ${seed}, ${workerRounds} runs whose workers and orchestrators are killed and stopped`);
  const { lost, faults } = await faultyWorkers({
    rounds: workerRounds,
    drawn: (purpose) => drawn(`workers ${purpose}`),
    onRound: (round, found) => {
      if (round % 5 === 0) console.log(`soak: ${round} runs with workers, ${found} faults`);
    },
  });
  for (const fault of faults) console.log(`soak: ${fault}`);
  console.log(`soak: ${lost} claims of shards were lost, and their results do not count unless reported above`);
  return faults.length;
}

async function soakAblations(): Promise<number | null> {
  if (ablationKills === 0) return null;
  console.log(`soak: seed ${seed}, ${ablationKills} kills of an ablation`);
  const moment = (process: number): number => drawn(`ablation ${process}`);
  const { finished, faults } = await killAblations(
    ablationKills,
    Math.floor(drawn('seed of an ablation') * 1000),
    moment,
    (kill, found) => {
      if (kill % 10 === 0) console.log(`soak: ${kill} kills of an ablation, ${found} faults`);
    },
  );
  for (const fault of faults) console.log(`soak: ${fault}`);
  console.log(`soak: ${finished} ablations completed, equal to an undisturbed one unless reported above`);
  return faults.length;
}

async function soakProjections(): Promise<number | null> {
  if (projectionKills === 0) return null;
  console.log(`soak: seed ${seed}, ${projectionKills} kills of a projection`);
  const { finished, faults } = await killProjections({
    kills: projectionKills,
    drawn: (purpose) => drawn(`projection ${purpose}`),
    lookEvery: 1,
    onKill: (kill, found) => {
      if (kill % 20 === 0) console.log(`soak: ${kill} kills of a projection, ${found} faults`);
    },
  });
  for (const fault of faults) console.log(`soak: ${fault}`);
  console.log(`soak: ${finished} projections completed, equal to a rebuild unless reported above`);
  return faults.length;
}

async function soakCrowd(): Promise<number | null> {
  if (crowdSeconds === 0) return null;
  console.log(`soak: six processes on the same tables for ${crowdSeconds} s`);
  const folder = mkdtempSync(join(tmpdir(), 'icecore-soak-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  await writeVaried(ledger);
  const parts: readonly Part[] = ['write', 'write', 'follow', 'ask', 'rebuild', 'notebook'];
  const members = parts.map((part) => ({ part }));
  const { done, faults } = await crowd(ledger, join(folder, 'ledger.tables'), members, crowdSeconds);
  await ledger.close();
  rmSync(folder, { recursive: true, force: true });
  for (const fault of faults) console.log(`soak: ${fault}`);
  console.log(`soak: completed passes: ${done.join(', ')}`);
  return faults.length;
}

async function soakServing(): Promise<number | null> {
  if (serverSeconds === 0) return null;
  console.log(`soak: seed ${seed}, a server under load for ${serverSeconds} s`);
  const cwd = mkdtempSync(join(tmpdir(), 'icecore-soak-'));
  const { events, queries, megabytes, faults } = await soakServer({
    ...{ cwd, seconds: serverSeconds },
    drawn: (purpose) => drawn(`server ${purpose}`),
    onMinute: (minutes, appended, memory) =>
      console.log(`soak: ${minutes} min, ${appended} events, ${memory} MB of memory of the server`),
  });
  rmSync(cwd, { recursive: true, force: true });
  for (const fault of faults) console.log(`soak: ${fault}`);
  const [earlier, later] = megabytes.map(Math.round);
  console.log(`soak: ${events} events, ${queries} queries, at most ${earlier} MB earlier and ${later} MB later`);
  return faults.length;
}

async function soakEventStore(): Promise<number | null> {
  if (eventStoreFaults === 0) return null;
  console.log(`soak: seed ${seed}, ${eventStoreFaults} ledgers in EventStoreDB whose server fails all the time`);
  let [all, found] = [0, 0];
  for (let time = 1; time <= eventStoreFaults; time++) {
    const { struck, faults } = await disturbed((purpose) => drawn(`eventstore ${time} ${purpose}`));
    for (const fault of faults) console.log(`soak: ${fault}`);
    all += struck;
    found += faults.length;
  }
  console.log(`soak: the server failed ${all} times, ${found} faults`);
  return found;
}

async function soakFaultsOfKafka(): Promise<number | null> {
  const why = process.env['ICECORE_TEST_KAFKA'] ? 'it needs brokers it can kill' : whyNoKafka();
  if (kafkaFaults > 0 && why !== null) console.log(`soak: the faults of Kafka are skipped: ${why}`);
  if (kafkaFaults === 0 || why !== null) return null;
  console.log(`soak: seed ${seed}, each fault of Kafka ${kafkaFaults} times`);
  return await soakKafka({
    times: kafkaFaults,
    drawn: (purpose) => drawn(`kafka ${purpose}`),
    tell: (line) => console.log(`soak: ${line}`),
  });
}

/** The number of faults; null: it was skipped. */
const parts: Readonly<Record<string, () => Promise<number | null>>> = {
  kafka: soakFaultsOfKafka,
  appends: soakAppends,
  copies: soakCopies,
  runs: soakRuns,
  workers: soakWorkers,
  eventstore: soakEventStore,
  ablations: soakAblations,
  projections: soakProjections,
  crowd: soakCrowd,
  server: soakServing,
};
const names = values.only?.split(',') ?? Object.keys(parts);
const results: string[] = [];
let faults = 0;
for (const name of names) {
  const part = parts[name];
  if (part === undefined) throw new RangeError(`--only: found ${name}, allowed: ${Object.keys(parts).join(', ')}`);
  const found = await part();
  faults += found ?? 0;
  results.push(`${name} ${found === null ? 'skipped' : `${found} faults`}`);
}
console.log(`soak: ${faults === 0 ? 'passed' : 'failed'}: seed ${seed}, ${results.join(', ')}`);
process.exitCode = faults === 0 ? 0 : 1;

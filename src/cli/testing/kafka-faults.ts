// All that a ledger in Kafka is to survive, to be tried a few times or many.
import { type Kafka, startKafka } from '../../ledger/kafka/testing/broker.ts';
import { FaultBench } from '../../ledger/kafka/testing/faults/bench.ts';
import { brokerKilled, leaderKilled } from '../../ledger/kafka/testing/faults/brokers.ts';
import { connectionsCut } from '../../ledger/kafka/testing/faults/connections.ts';
import type { Drawn, Fault } from '../../ledger/kafka/testing/faults/fault.ts';
import { sentAgain } from '../../ledger/kafka/testing/faults/repeats.ts';
import { slowFollower } from '../../ledger/kafka/testing/faults/slow.ts';
import { asleepWhileTakenOver, killedBeforeTold } from '../../ledger/kafka/testing/faults/writers.ts';
import { countInTables } from '../../projections/testing/counted.ts';
import { evidenceStoreAway } from './store-away.ts';

export const withOneBroker: ReadonlyMap<string, Fault> = new Map([
  ['a broker that is killed and comes back', brokerKilled],
  ['connections that break between request and answer', connectionsCut],
  ['records that are handed over again', sentAgain],
  ['a writer that is killed before it is told', killedBeforeTold],
  ['a writer that sleeps while another takes its place', asleepWhileTakenOver],
  ['a store of evidence that is away while a run goes on', evidenceStoreAway],
]);

export const withThreeBrokers: ReadonlyMap<string, Fault> = new Map([
  ['the loss of the broker that leads', leaderKilled],
]);

export function benchOn(kafka: Kafka): FaultBench {
  return new FaultBench(kafka, countInTables);
}

export interface Soaking {
  readonly times: number;
  readonly drawn: Drawn;
  /** How long the slow follower is tried. */
  readonly slowSeconds: number;
  readonly tell: (line: string) => void;
}

/** How many faults left something wrong. */
export async function soakKafka({ times, drawn, slowSeconds, tell }: Soaking): Promise<number> {
  let wrong = 0;
  for (const [brokers, faults] of [
    [1, withOneBroker],
    [3, withThreeBrokers],
  ] as const) {
    const kafka = await startKafka({ brokers });
    const bench = benchOn(kafka);
    try {
      for (const [name, fault] of faults) wrong += await tried(bench, name, fault, { times, drawn, tell });
      if (brokers === 1) wrong += await triedSlowly(bench, slowSeconds, tell);
    } finally {
      await bench.end();
      await kafka.stop();
    }
  }
  return wrong;
}

async function tried(
  bench: FaultBench,
  name: string,
  fault: Fault,
  { times, drawn, tell }: Pick<Soaking, 'times' | 'drawn' | 'tell'>,
): Promise<number> {
  let wrong = 0;
  for (let time = 1; time <= times; time++) {
    const found = await fault(bench, (purpose) => drawn(`${name} ${time} ${purpose}`)).catch(String);
    await bench.closeLedgers();
    if (found.length === 0) continue;
    wrong++;
    for (const one of typeof found === 'string' ? [found] : found) tell(`${name}, ${time}: ${one}`);
  }
  tell(`${name}: ${times} times, ${wrong} faults`);
  return wrong;
}

async function triedSlowly(bench: FaultBench, seconds: number, tell: Soaking['tell']): Promise<number> {
  const { written, taken, mostHeapMb, faults } = await slowFollower(bench, seconds);
  await bench.closeLedgers();
  for (const one of faults) tell(`a slow follower: ${one}`);
  tell(`a slow follower: ${taken} events taken in ${seconds} s, ${written} written, ${mostHeapMb} MB of heap at most`);
  return faults.length === 0 ? 0 : 1;
}

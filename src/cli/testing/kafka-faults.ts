// All that a ledger whose evidence is in Kafka is to survive, to be tried a few times or many.
import { type Kafka, startKafka } from '../../ledger/kafka/testing/broker.ts';
import { type Drawn, disturbances, disturbedWriters } from '../../ledger/kafka/testing/disturbed.ts';
import { evidenceStoreAway } from './store-away.ts';

type Fault = (kafka: Kafka, drawn: Drawn) => Promise<readonly string[]>;

export const faultsOfKafka: ReadonlyMap<string, Fault> = new Map([
  ...disturbances.map((disturbance): [string, Fault] => [
    `writers whose broker or network is ${disturbance}`,
    (kafka, drawn) => disturbedWriters(kafka, disturbance, drawn),
  ]),
  ['a store of evidence that is away while a run goes on', evidenceStoreAway],
]);

export interface Soaking {
  readonly times: number;
  readonly drawn: Drawn;
  readonly tell: (line: string) => void;
}

/** How many tries left something wrong. */
export async function soakKafka({ times, drawn, tell }: Soaking): Promise<number> {
  let wrong = 0;
  const kafka = await startKafka();
  try {
    for (const [name, fault] of faultsOfKafka) {
      const before = wrong;
      for (let time = 1; time <= times; time++) {
        const found = await fault(kafka, (purpose) => drawn(`${name} ${time} ${purpose}`)).catch((error) => [
          `${error}`,
        ]);
        if (found.length > 0) wrong++;
        for (const one of found) tell(`${name}, ${time}: ${one}`);
      }
      tell(`${name}: ${times} times, ${wrong - before} faults`);
    }
  } finally {
    await kafka.stop();
  }
  return wrong;
}

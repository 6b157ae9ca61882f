// The ledger contract with evidence on a real broker: run events in a file, like on one machine, or in EventStoreDB, like a
// deployment on many machines; and with both in files. Many processes write to a file and a broker: each part by itself fulfils
// the contract with many processes as well.
import { describe } from 'vitest';
import { alone, ledgerContract } from '../contract/ledger-contract.ts';
import { eventStoreWithKafkaFixture, splitFixture, splitWithKafkaFixture } from '../contract/split-fixture.ts';
import { whyNoKafka } from '../kafka/testing/broker.ts';

ledgerContract('split, both parts in SQLite', splitFixture, alone);

const why = whyNoKafka();

describe.skipIf(why !== null)(`evidence in Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  ledgerContract('split, run events in SQLite and evidence in Kafka', () => splitWithKafkaFixture('partitions=2'));
  ledgerContract(
    'split, run events in EventStoreDB and evidence in Kafka',
    () => eventStoreWithKafkaFixture('partitions=2'),
    alone,
  );
});

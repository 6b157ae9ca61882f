// The ledger contract with decisions in a file and evidence on a real broker, by the client that is not the usual one.
import { describe } from 'vitest';
import { ledgerContract } from '../contract/ledger-contract.ts';
import { splitWithKafkaFixture } from '../contract/split-fixture.ts';
import { whyNoKafka } from '../kafka/testing/broker.ts';

const why = whyNoKafka();

describe.skipIf(why !== null)(`SQLite and Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  ledgerContract('split, decisions in SQLite and evidence in Kafka', () =>
    splitWithKafkaFixture('client=platformatic&partitions=2'),
  );
});

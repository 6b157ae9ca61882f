// The ledger contract with decisions in a file and evidence on a real broker, by the client that is not the usual one. Each
// part is held to the contract by itself in the usual tests; the two together take long, and are tried where all is.
import { describe } from 'vitest';
import { ledgerContract } from '../contract/ledger-contract.ts';
import { splitWithKafkaFixture } from '../contract/split-fixture.ts';
import { whyNoKafka } from '../kafka/testing/broker.ts';

const isAll = process.env['ICECORE_TEST_KAFKA_CLIENTS'] === 'all';
const why = isAll ? whyNoKafka() : 'set ICECORE_TEST_KAFKA_CLIENTS=all';

describe.skipIf(why !== null)(`SQLite and Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  ledgerContract('split, decisions in SQLite and evidence in Kafka', () =>
    splitWithKafkaFixture('client=platformatic&partitions=2'),
  );
});

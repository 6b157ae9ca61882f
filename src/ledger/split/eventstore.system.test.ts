// The ledger contract with decisions in EventStoreDB and evidence on a real broker, as a deployment on many machines has them. Each
// part is held to the contract by itself in the usual tests; the two together take long, and are tried where all is.
import { describe } from 'vitest';
import { ledgerContract } from '../contract/ledger-contract.ts';
import { eventStoreWithKafkaFixture } from '../contract/split-fixture.ts';
import { whyNoKafka } from '../kafka/testing/broker.ts';

const isAll = process.env['ICECORE_TEST_KAFKA_CLIENTS'] === 'all';
const why = isAll ? whyNoKafka() : 'set ICECORE_TEST_KAFKA_CLIENTS=all';

describe.skipIf(why !== null)(`EventStoreDB and Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  ledgerContract('split, decisions in EventStoreDB and evidence in Kafka', () =>
    eventStoreWithKafkaFixture('client=kafkajs&partitions=2'),
  );
});

// The ledger contract on a real broker: by the usual client, and where ICECORE_TEST_KAFKA_CLIENTS=all, by the other one too,
// which the contract of transports and that of split ledgers hold to the same.
import { describe } from 'vitest';
import { kafkaFixture } from '../contract/kafka-fixture.ts';
import { ledgerContract } from '../contract/ledger-contract.ts';
import { clients } from './place.ts';
import { whyNoKafka } from './testing/broker.ts';

const why = whyNoKafka();
const tried = process.env['ICECORE_TEST_KAFKA_CLIENTS'] === 'all' ? clients : clients.slice(0, 1);

describe.skipIf(why !== null)(`Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  for (const client of tried) {
    ledgerContract(`Kafka by ${client}`, () => kafkaFixture(`client=${client}&partitions=2`));
  }
});

// What a ledger in Kafka survives, each a few times: `npm run soak -- --kafka-faults 20` tries them oftener.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Kafka, startKafka, whyNoKafka } from '../src/ledger/kafka/testing/broker.ts';
import { FaultBench } from '../src/ledger/kafka/testing/faults/bench.ts';
import { brokerKilled, leaderKilled } from '../src/ledger/kafka/testing/faults/brokers.ts';
import { connectionsCut } from '../src/ledger/kafka/testing/faults/connections.ts';
import type { Drawn } from '../src/ledger/kafka/testing/faults/fault.ts';
import { sentAgain } from '../src/ledger/kafka/testing/faults/repeats.ts';
import { asleepWhileTakenOver, killedBeforeTold } from '../src/ledger/kafka/testing/faults/writers.ts';
import { countInTables } from '../src/projections/testing/counted.ts';

const why = process.env['ICECORE_TEST_KAFKA'] ? 'brokers of our own are killed' : whyNoKafka();
const often = [1, 2, 3];
const drawn: Drawn = () => Math.random();

describe.skipIf(why !== null)(`A ledger in Kafka survives${why === null ? '' : `, left out: ${why}`}`, () => {
  let kafka: Kafka;
  let bench: FaultBench;
  beforeAll(async () => {
    kafka = await startKafka();
    bench = new FaultBench(kafka, countInTables);
  });
  afterEach(async () => bench.closeLedgers());
  afterAll(async () => {
    await bench.end();
    await kafka.stop();
  });

  it.each(often)('a broker that is killed and comes back, %i', async () => {
    expect(await brokerKilled(bench, drawn)).toEqual([]);
  });

  it.each(often)('connections that break between request and answer, %i', async () => {
    expect(await connectionsCut(bench, drawn)).toEqual([]);
  });

  it.each(often)('records that are handed over again, %i', async () => {
    expect(await sentAgain(bench, drawn)).toEqual([]);
  });

  it.each(often)('a writer that is killed before it is told, %i', async () => {
    expect(await killedBeforeTold(bench, drawn)).toEqual([]);
  });

  it.each(often)('a writer that sleeps while another takes its place, %i', async () => {
    expect(await asleepWhileTakenOver(bench, drawn)).toEqual([]);
  });

  describe('of three brokers', () => {
    let three: FaultBench;
    beforeAll(async () => {
      three = new FaultBench(await startKafka({ brokers: 3 }), countInTables);
    });
    afterEach(async () => three.closeLedgers());
    afterAll(async () => {
      await three.end();
      await three.kafka.stop();
    });

    it.each(often)('the loss of the one that leads, %i', async () => {
      expect(await leaderKilled(three, drawn)).toEqual([]);
    });
  });
});

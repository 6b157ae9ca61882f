// The topics as seen by another program: a Java consumer with Apache Kafka's own client.
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Kafka, startKafka, whyNoKafka } from '../src/ledger/kafka/testing/broker.ts';
import { closeLogs, Evidence, readBack, streamNumber, warmUp, write } from '../src/ledger/kafka/testing/evidence.ts';
import { areFetched, classPath } from '../tools/kafka/jars.ts';

const program = fileURLToPath(new URL('../src/ledger/kafka/testing/CountSealed.java', import.meta.url));

function whyNoCompiler(): string | null {
  if (!areFetched()) return 'the jars of Kafka are missing';
  return spawnSync('javac', ['-version']).status === 0 ? null : 'there is no javac';
}

const why = whyNoKafka() ?? whyNoCompiler();

describe.skipIf(why !== null)(`A consumer in Java${why === null ? '' : `, skipped: ${why}`}`, () => {
  let kafka: Kafka;
  beforeAll(async () => {
    kafka = await startKafka();
    await warmUp(kafka);
  });
  afterEach(closeLogs);
  afterAll(() => kafka?.stop());

  it('counts the sealed rollouts that icecore counts', async () => {
    const evidence = new Evidence(kafka, 'partitions=3');
    const log = await evidence.make();
    const written = await Promise.all([0, 1, 2, 3].map((attempt) => write(log, streamNumber(attempt), 100 + attempt)));
    // Duplicates, events beyond the seal, and a superseded attempt.
    await evidence.send(evidence.messages(streamNumber(0), 20, 10));
    const sealed = written.slice(0, 3).map((attempt, index) => {
      const count = attempt.count - index;
      return { ...attempt, count, to: count - 1 };
    });
    const seal = { stream: 'run-0test0test00', revision: 4, id: '00000000-0000-8000-8000-000000000004' };
    const root = 'f'.repeat(64);
    await log.publishSealed(
      sealed.map(({ stream, count, place }) => ({ stream, count, place, root, seal })),
      'ledger@4',
    );
    const counted = [...(await readBack(await evidence.open(), sealed)).values()].flat().length;
    const silent = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', classPath];
    const { stdout } = await promisify(execFile)('java', [
      ...silent,
      program,
      kafka.brokers.join(','),
      evidence.prefix,
    ]);
    expect(Number(stdout)).toBe(counted);
    expect(counted).toBe(100 + 100 + 100);
  });
});

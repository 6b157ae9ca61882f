// A ledger in Kafka beside the clients alone, on the broker for tests: both clients, one after the other.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { clients } from '../../src/ledger/kafka/place.ts';
import { startKafka, whyNoKafka } from '../../src/ledger/kafka/testing/broker.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { inFolder } from '../folder.ts';
import type { Report } from '../report.ts';
import { rollouts, stream } from '../rollouts.ts';
import { appendReport } from './append.ts';
import { burstReport } from './burst.ts';
import { type Filled, readingReport } from './reading.ts';

/** So many that making the tables and filling the last batch, which nothing overlaps, do not count for much. */
const events = 1_000_000;
const batch = 1000;

export async function kafkaBench(): Promise<readonly Report[]> {
  const why = whyNoKafka();
  if (why !== null) throw new Error(`there is no Kafka to measure: ${why}`);
  return await inFolder(async (folder) => {
    process.env['ICECORE_CACHE'] = join(folder, 'cache');
    const kafka = await startKafka({ lasting: true });
    const filled = await fill(kafka.brokers);
    const reports: Report[] = [];
    for (const client of clients) reports.push(await appendReport(client, kafka.brokers));
    for (const client of clients) reports.push(await readingReport(client, filled, folder));
    reports.push(await burstReport(kafka.brokers, name(), folder));
    await kafka.stop();
    return reports;
  });
}

function name(): string {
  return `bench-${randomBytes(4).toString('hex')}`;
}

async function fill(brokers: readonly string[]): Promise<Filled> {
  const prefix = name();
  const ledger = await openLedger(`kafka://${brokers.join(',')}/${prefix}?partitions=1`, { create: true });
  for (let at = 0; at < events; at += batch) {
    await ledger.append(stream, rollouts(at, batch, 'own'), { expect: 'any' });
  }
  await ledger.close();
  return { brokers, prefix, events };
}

// What the Kafka store supplies to the contract: topics under prefixes of their own on a broker for tests, and a folder for
// the indexes.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKafka } from '../kafka/testing/broker.ts';
import { openLedger } from '../open.ts';
import type { Fixture } from './fixture.ts';

/** `settings`: what stands behind the question mark of the URL. */
export async function kafkaFixture(settings: string): Promise<Fixture> {
  const kafka = await startKafka();
  const before = process.env['ICECORE_CACHE'];
  const folder = mkdtempSync(join(tmpdir(), 'icecore-kafka-'));
  process.env['ICECORE_CACHE'] = folder;
  return {
    isSlow: true,
    fresh: async () => {
      const prefix = `contract-${randomBytes(6).toString('hex')}`;
      const url = `kafka://${kafka.brokers.join(',')}/${prefix}?${settings}`;
      await (await openLedger(url, { create: true })).close();
      return url;
    },
    open: (url) => openLedger(url),
    dispose: async () => {
      if (before === undefined) delete process.env['ICECORE_CACHE'];
      else process.env['ICECORE_CACHE'] = before;
      rmSync(folder, { recursive: true, force: true });
      await kafka.stop();
    },
  };
}

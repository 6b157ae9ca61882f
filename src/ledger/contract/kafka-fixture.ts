// What the Kafka store supplies to the contract: topics under prefixes of their own on a broker for tests, and a folder for
// the indexes.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKafka } from '../kafka/testing/broker.ts';
import { openLedger } from '../open.ts';
import type { Fixture } from './fixture.ts';

export interface KafkaPrefixes {
  /** Of a place where no ledger is yet. */
  url(): string;
  dispose(): Promise<void>;
}

/** `settings`: what stands behind the question mark of the URLs. */
export async function kafkaPrefixes(settings: string): Promise<KafkaPrefixes> {
  const kafka = await startKafka();
  const before = process.env['ICECORE_CACHE'];
  const folder = mkdtempSync(join(tmpdir(), 'icecore-kafka-'));
  process.env['ICECORE_CACHE'] = folder;
  return {
    url: () => `kafka://${kafka.brokers.join(',')}/contract-${randomBytes(6).toString('hex')}?${settings}`,
    dispose: async () => {
      if (before === undefined) delete process.env['ICECORE_CACHE'];
      else process.env['ICECORE_CACHE'] = before;
      rmSync(folder, { recursive: true, force: true });
      await kafka.stop();
    },
  };
}

export async function kafkaFixture(settings: string): Promise<Fixture> {
  const prefixes = await kafkaPrefixes(settings);
  return {
    isSlow: true,
    fresh: async () => {
      const url = prefixes.url();
      await (await openLedger(url, { create: true })).close();
      return url;
    },
    open: (url) => openLedger(url),
    dispose: () => prefixes.dispose(),
  };
}

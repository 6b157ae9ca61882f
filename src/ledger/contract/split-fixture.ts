// The fixture of split ledgers for the contract: decisions in SQLite files of a temporary folder or in EventStoreDB, and evidence
// there or in Kafka.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../open.ts';
import { eventStorePrefixes } from './eventstore-fixture.ts';
import type { Fixture } from './fixture.ts';
import { kafkaPrefixes } from './kafka-fixture.ts';

export async function splitFixture(): Promise<Fixture> {
  return splitBetween(inFile, (place) => `sqlite:${place}-evidence.db`);
}

export async function splitWithKafkaFixture(settings: string): Promise<Fixture> {
  const prefixes = await kafkaPrefixes(settings);
  return splitBetween(inFile, prefixes.url, prefixes.dispose);
}

/** Like a deployment on many machines. */
export async function eventStoreWithKafkaFixture(settings: string): Promise<Fixture> {
  const [decisions, evidence] = [await eventStorePrefixes(), await kafkaPrefixes(settings)];
  return splitBetween(decisions.url, evidence.url, async () => {
    await evidence.dispose();
    await decisions.dispose();
  });
}

type UrlAt = (place: string) => string;

const inFile: UrlAt = (place) => `sqlite:${place}.db`;

function splitBetween(decisionsAt: UrlAt, evidenceAt: UrlAt, dispose: () => Promise<void> = async () => {}): Fixture {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-split-'));
  let made = 0;
  return {
    isSlow: true,
    fresh: async () => {
      const place = join(folder, `${made++}`);
      const url = `split:${decisionsAt(place)}+${evidenceAt(place)}`;
      await (await openLedger(url, { create: true })).close();
      return url;
    },
    open: (url) => openLedger(url),
    dispose: async () => {
      rmSync(folder, { recursive: true, force: true });
      await dispose();
    },
  };
}

// What the split ledger supplies to the contract: decisions in SQLite files of a temporary folder, and evidence there or in
// Kafka.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../open.ts';
import type { Fixture } from './fixture.ts';
import { kafkaPrefixes } from './kafka-fixture.ts';

export async function splitFixture(): Promise<Fixture> {
  return splitBetween(false, (place) => `sqlite:${place}-evidence.db`);
}

export async function splitWithKafkaFixture(settings: string): Promise<Fixture> {
  const prefixes = await kafkaPrefixes(settings);
  return splitBetween(
    true,
    () => prefixes.url(),
    () => prefixes.dispose(),
  );
}

function splitBetween(
  isSlow: boolean,
  evidenceAt: (place: string) => string,
  dispose: () => Promise<void> = async () => {},
): Fixture {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-split-'));
  let made = 0;
  return {
    isSlow,
    fresh: async () => {
      const place = join(folder, `${made++}`);
      const url = `split:sqlite:${place}.db+${evidenceAt(place)}`;
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

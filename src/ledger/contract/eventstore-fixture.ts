// The fixture of the EventStoreDB store for the contract: unique prefixes on a test server, and a folder for directories.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStore } from '../eventstore/testing/ledgers.ts';
import { openLedger } from '../open.ts';
import type { Fixture } from './fixture.ts';

export interface EventStorePrefixes {
  /** The URL of a place without a ledger. */
  url(): string;
  dispose(): Promise<void>;
}

export async function eventStorePrefixes(): Promise<EventStorePrefixes> {
  const server = await startEventStore();
  const before = process.env['ICECORE_CACHE'];
  const folder = mkdtempSync(join(tmpdir(), 'icecore-eventstore-'));
  process.env['ICECORE_CACHE'] = folder;
  return {
    url: () => server.url(`contract_${randomBytes(6).toString('hex')}`),
    dispose: async () => {
      if (before === undefined) delete process.env['ICECORE_CACHE'];
      else process.env['ICECORE_CACHE'] = before;
      rmSync(folder, { recursive: true, force: true });
      await server.stop();
    },
  };
}

export async function eventStoreFixture(): Promise<Fixture> {
  const prefixes = await eventStorePrefixes();
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

// The engine over a log in memory, and the parts of the contract that need no other process.
import { afterAll, afterEach, describe } from 'vitest';
import { bulky } from '../../contract/appending.ts';
import { Bench, type Fixture } from '../../contract/fixture.ts';
import { alone } from '../../contract/ledger-contract.ts';
import type { Ledger, Waiting } from '../../ledger.ts';
import { RemoteLedger } from '../ledger.ts';
import { Waits } from '../retry.ts';
import { MemoryLog, type MemoryLogOptions, MemoryServer } from './memory-log.ts';

export function ledgerOn(
  log: MemoryLog,
  { patience = 30, readOnly = false, onWait = (_: Waiting): void => {} } = {},
): Ledger {
  return new RemoteLedger(log, new Waits(log.url, patience, onWait), readOnly);
}

export function opened(server: MemoryServer, options: MemoryLogOptions = {}): { ledger: Ledger; log: MemoryLog } {
  const log = new MemoryLog(server, options);
  return { ledger: ledgerOn(log), log };
}

function memoryFixture(options: () => MemoryLogOptions): Fixture {
  const servers = new Map<string, MemoryServer>();
  return {
    fresh: async () => {
      const ledger = `l${servers.size}`;
      servers.set(`memory:${ledger}`, new MemoryServer());
      return `memory:${ledger}`;
    },
    open: async (url) => {
      const server = servers.get(url) ?? new MemoryServer();
      return ledgerOn(new MemoryLog(server, { ...options(), ledger: url.slice('memory:'.length) }));
    },
    dispose: async () => {},
  };
}

/** The same faults in the same order, repeated. */
export function inTurn<Item>(items: readonly Item[]): () => Item {
  let turn = 0;
  return () => items[turn++ % items.length] as Item;
}

export function memoryContract(log: string, options: () => MemoryLogOptions = () => ({})): void {
  describe(`the ledger contract: a log in memory, ${log}`, () => {
    const bench = new Bench(memoryFixture(options));
    afterEach(() => bench.close());
    afterAll(() => bench.end());
    // An append in several portions is complete after a close only if the server answers.
    const parts = alone.filter((part) => part !== bulky || options().faultOfAppend === undefined);
    for (const part of parts) part(() => bench);
  });
}

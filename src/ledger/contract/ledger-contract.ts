// The contract that every store of events must fulfil. A store supplies a fixture and declares what it cannot do in its
// capabilities; the contract then checks that it refuses that.
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { appending, bulky } from './appending.ts';
import { Bench, type Fixture } from './fixture.ts';
import { following } from './following.ts';
import { processes } from './processes.ts';
import { reading } from './reading.ts';
import { repeating } from './repeating.ts';
import { replicating } from './replicating.ts';

type Part = (bench: () => Bench) => void;

/** Tests within one process. */
export const alone: readonly Part[] = [appending, bulky, repeating, reading, replicating, following];

/** Tests with many processes, some of which are killed. */
export const among: readonly Part[] = [processes];

export function ledgerContract(
  store: string,
  makeFixture: () => Promise<Fixture>,
  parts: readonly Part[] = [...alone, ...among],
): void {
  describe(`the ledger contract: ${store}`, () => {
    let fixture: Fixture | undefined;
    let bench: Bench | undefined;
    const theBench = (): Bench => {
      if (fixture === undefined) throw new Error('the fixture is not ready');
      bench ??= new Bench(fixture);
      return bench;
    };

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    afterEach(async () => {
      await bench?.close();
    });
    afterAll(async () => {
      await bench?.end();
      await fixture?.dispose();
    });

    for (const part of parts) part(theBench);
  });
}

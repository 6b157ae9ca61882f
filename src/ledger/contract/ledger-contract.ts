// The contract every store of events must keep, written once. A store supplies a fixture; what it cannot do it declares
// in its capabilities, and then the contract holds it to refusing that.
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { appending, bulky } from './appending.ts';
import { Bench, type Fixture } from './fixture.ts';
import { following } from './following.ts';
import { processes } from './processes.ts';
import { reading } from './reading.ts';
import { repeating } from './repeating.ts';
import { replicating } from './replicating.ts';

type Part = (bench: () => Bench) => void;

/** What one process sees of a store. */
export const alone: readonly Part[] = [appending, bulky, repeating, reading, replicating, following];

/** What many processes see of it, and what is left by those that are killed. */
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

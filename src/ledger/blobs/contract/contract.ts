// The contract every blob store must keep, written once. A store supplies a fixture.
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { crowding } from './crowding.ts';
import { damaging } from './damaging.ts';
import { finding } from './finding.ts';
import { BlobBench, type BlobFixture } from './fixture.ts';
import { keeping } from './keeping.ts';
import { refusing } from './refusing.ts';

export function blobContract(store: string, makeFixture: () => Promise<BlobFixture>): void {
  describe(`the blob contract: ${store}`, () => {
    let bench: BlobBench | undefined;
    const theBench = (): BlobBench => {
      if (bench === undefined) throw new Error('the fixture is not ready');
      return bench;
    };

    beforeAll(async () => {
      bench = new BlobBench(await makeFixture());
    });
    afterEach(async () => {
      await bench?.close();
    });
    afterAll(async () => {
      await bench?.fixture.dispose();
    });

    for (const part of [keeping, finding, damaging, refusing, crowding]) part(theBench);
  });
}

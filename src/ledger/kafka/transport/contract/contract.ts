// The contract every transport must keep, written once, on a real broker.
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { startKafka } from '../../testing/broker.ts';
import { appending } from './appending.ts';
import { type OpenTransport, TransportBench } from './bench.ts';
import { compacted } from './compacted.ts';
import { describing } from './describing.ts';
import { disturbed } from './disturbed.ts';
import { fetching } from './fetching.ts';
import { guarded } from './guarded.ts';
import { refusing } from './refusing.ts';
import { sharing } from './sharing.ts';
import { transactions } from './transactions.ts';

export function transportContract(client: string, open: OpenTransport): void {
  describe(`the transport contract: ${client}`, () => {
    let bench: TransportBench | undefined;
    const theBench = (): TransportBench => {
      if (bench === undefined) throw new Error('the bench is not ready');
      return bench;
    };

    beforeAll(async () => {
      bench = new TransportBench(await startKafka(), open);
    });
    afterEach(async () => {
      await bench?.closeTransports();
    });
    afterAll(async () => {
      await bench?.dispose();
    });

    for (const part of [
      describing,
      appending,
      fetching,
      transactions,
      compacted,
      refusing,
      guarded,
      sharing,
      disturbed,
    ])
      part(theBench);
  });
}

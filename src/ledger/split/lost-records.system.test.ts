// A split ledger whose topic of evidence has lost its first records.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidenceStream, report, someRollouts, workStream } from '../contract/samples.ts';
import { type Kafka, startKafka, whyNoKafka } from '../kafka/testing/broker.ts';
import { Evidence, warmUp } from '../kafka/testing/evidence.ts';
import { isFault } from '../verify/findings.ts';
import { verifyLedger } from '../verify/verify.ts';
import { SplitPlace } from './testing/place.ts';

const why = whyNoKafka();

describe.skipIf(why !== null)(`Lost records of evidence in Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  let kafka: Kafka;
  beforeAll(async () => {
    kafka = await startKafka();
    await warmUp(kafka);
  });
  afterAll(() => kafka?.stop());

  /** The URL of a ledger with an attempt of 50 events, the first of which are gone from the topic. */
  async function without(lost: number): Promise<string> {
    const [place, evidence] = [new SplitPlace(), new Evidence(kafka)];
    const url = `split:sqlite:${place.decisions}+${evidence.url}`;
    const ledger = await place.open({ create: true }, url);
    await ledger.append(evidenceStream, someRollouts(0, 50), { expect: 'any' });
    await report(ledger);
    await ledger.close();
    await evidence.removeBefore(lost);
    return url;
  }

  it('are counted by verify, separately from the records after them', async () => {
    const { findings } = await verifyLedger(await without(10), { blobs: null, run: null, head: null });
    expect(findings.filter(isFault)).toContainEqual(
      expect.objectContaining({
        kind: 'missing',
        says: `${evidenceStream} lacks 10 of the 50 events that ${workStream}@0 reports, and 40 after them cannot be read without them`,
      }),
    );
  });
});

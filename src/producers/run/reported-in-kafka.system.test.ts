// Runs with evidence in a real Kafka, resumed and with killed and suspended workers: they have the same results as in
// one file, and can be recomputed.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../../ledger/identity/ids.ts';
import { type Kafka, startKafka, whyNoKafka } from '../../ledger/kafka/testing/broker.ts';
import { usualLimits } from '../evidence/reported.ts';
import { again } from '../recompute/testing/again.ts';
import { countedOf } from './testing/counted.ts';
import { faultyWorkers } from './testing/faulty-workers.ts';
import { withAppend } from './testing/held-up.ts';
import { runTiny, splitPlace, type TinyPlace, tinyPlace, tinySettings } from './testing/tiny.ts';

const run = 'tiny00000000';
const settings = tinySettings({ record: 'all' });
const limits = { ...usualLimits, rollouts: 20 };
const why = whyNoKafka();

describe.skipIf(why !== null)(`evidence in Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  let kafka: Kafka;
  beforeAll(async () => {
    kafka = await startKafka();
  }, 120_000);
  afterAll(() => kafka?.stop());

  const place = (): Promise<TinyPlace> =>
    splitPlace(`kafka://${kafka.brokers.join(',')}/t${randomUUID().slice(0, 8)}?partitions=2`);

  it('of an interrupted and resumed run is the same as in one file', async () => {
    const whole = await tinyPlace();
    onTestFinished(() => whole.close());
    await runTiny(whole, { run, settings });
    const { folder, ledger, close } = await place();
    onTestFinished(close);
    let stops = 0;
    for (let isOver = false; !isOver; stops++) {
      const stopping = new AbortController();
      let appends = 0;
      const stopped = withAppend(ledger, async (stream, events, options) => {
        if (stream.startsWith('evidence-') && appends++ === 9) stopping.abort('enough');
        return await ledger.append(stream, events, options);
      });
      const { signal } = stopping;
      isOver = await runTiny({ folder, ledger: stopped }, { run, settings, limits, signal }).then(
        () => true,
        (reason: unknown) => {
          expect(reason).toBe('enough');
          return false;
        },
      );
      if (stops > 60) expect.fail('it never comes to its end');
    }
    expect(stops).toBeGreaterThan(2);
    expect(await countedOf(ledger, run)).toEqual(await countedOf(whole.ledger, run));
    expect((await again(ledger)).findings.kept).toEqual([]);
  }, 240_000);

  it('of killed and suspended workers counts once', async () => {
    const drawn = (purpose: string): number => Number.parseInt(sha256(purpose).slice(0, 8), 16) / 2 ** 32;
    const { faults } = await faultyWorkers({ rounds: 2, drawn, newPlace: place });
    expect(faults).toEqual([]);
  }, 240_000);
});

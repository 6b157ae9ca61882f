// A ledger at a broker that encrypts and asks who one is: all that is needed stands in the URL and in the environment.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collect, type Fixture } from '../contract/fixture.ts';
import { kafkaFixture } from '../contract/kafka-fixture.ts';
import { note, notesStream } from '../contract/samples.ts';
import { openLedger } from '../open.ts';
import { clients } from './place.ts';
import { type Guarded, startKafka, whyNoKafka } from './testing/broker.ts';

const why = process.env['ICECORE_TEST_KAFKA'] ? 'a guarded broker of our own is needed' : whyNoKafka();

describe.skipIf(why !== null)(`A ledger in a guarded Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  let fixture: Fixture;
  let guarded: Guarded;
  beforeEach(async () => {
    fixture = await kafkaFixture('');
    guarded = (await startKafka()).own?.guarded as Guarded;
    vi.stubEnv('ICECORE_KAFKA_USER', guarded.user);
    vi.stubEnv('ICECORE_KAFKA_PASSWORD', guarded.password);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await fixture?.dispose();
  });

  /** The same ledger by the guarded way. */
  async function url(client: string): Promise<string> {
    const settings = `client=${client}&tls=true&ca=${encodeURIComponent(guarded.ca)}&login=scram-sha-512`;
    return (await fixture.fresh()).replace(/\/\/[^/]+/, `//${guarded.broker}`).replace(/\?.*$/, `?${settings}`);
  }

  it.each(clients)('is written and read: %s', async (client) => {
    const ledger = await openLedger(await url(client));
    await ledger.append(notesStream, [note(0)], { expect: 'none' });
    expect(await collect(ledger.read(notesStream))).toHaveLength(1);
    await ledger.close();
  });

  it.each(clients)('is not opened with another password, and it is said where that stands: %s', async (client) => {
    vi.stubEnv('ICECORE_KAFKA_PASSWORD', 'babbage');
    await expect(openLedger(await url(client))).rejects.toMatchObject({
      name: 'KafkaRefused',
      remedy: expect.stringContaining('ICECORE_KAFKA_PASSWORD'),
    });
  });
});

// Brokers that ask who one is, over encrypted connections.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Guarded } from '../../testing/broker.ts';
import { loginMechanisms, type TransportOptions } from '../transport.ts';
import { atOnce, forever, records, type TransportBench, valuesOf } from './bench.ts';

export function guarded(bench: () => TransportBench): void {
  describe.skipIf(process.env['ICECORE_TEST_KAFKA'])('a broker that is guarded', () => {
    const place = (): Guarded => {
      const found = bench().kafka.own?.guarded ?? null;
      if (found === null) throw new Error('no guarded broker of our own');
      return found;
    };
    /** What is refused is not waited for. */
    const options = (): Partial<TransportOptions> & Pick<TransportOptions, 'tls' | 'login'> => {
      const { broker, ca, user, password } = place();
      const tls = { ca: readFileSync(ca, 'utf8') };
      return { brokers: [broker], tls, login: { mechanism: 'plain', user, password }, patienceMs: forever };
    };

    it.each(loginMechanisms)('lets in who says who it is: %s', async (mechanism) => {
      const { user, password } = place();
      const transport = bench().open({ ...options(), login: { mechanism, user, password } });
      const topic = await bench().topic();
      await transport.produce(topic, 0, records(2));
      expect(valuesOf((await transport.fetch(topic, 0, 0, atOnce)).records)).toEqual(['0', '1']);
    });

    it.each(loginMechanisms)(
      'does not let in who has the wrong password, and says at once what to look at: %s',
      async (mechanism) => {
        const transport = bench().open({ ...options(), login: { mechanism, user: place().user, password: 'babbage' } });
        await expect(transport.describe(['topic'])).rejects.toMatchObject({
          name: 'KafkaRefused',
          remedy: expect.stringContaining('ICECORE_KAFKA_PASSWORD'),
        });
      },
    );

    it('is not believed where its certificate is not trusted', async () => {
      const transport = bench().open({ ...options(), tls: { ca: null } });
      await expect(transport.describe(['topic'])).rejects.toMatchObject({
        name: 'BrokerUntrusted',
        message: expect.stringContaining('self-signed certificate'),
        remedy: expect.stringContaining('ca=FILE'),
      });
    });
  });
}

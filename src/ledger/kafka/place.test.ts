import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compressions, loginMechanisms, nameOf, parseKafkaUrl } from './place.ts';

const usual = {
  compression: 'zstd',
  partitions: 6,
  replicas: -1,
  tls: false,
  ca: null,
  login: null,
  patience: 30,
};

describe('the URL of a ledger in Kafka', () => {
  it.each([
    ['kafka://localhost:9092/lab', { brokers: ['localhost:9092'], prefix: 'lab' }],
    ['kafka://localhost/lab', { brokers: ['localhost:9092'] }],
    ['kafka://b.example:1,a.example:65535/team.lab_2-x', { brokers: ['b.example:1', 'a.example:65535'] }],
    ['kafka://[::1]:19092,[fe80::1]/lab', { brokers: ['[::1]:19092', '[fe80::1]:9092'] }],
    ['kafka://h/lab?compression=none', { compression: 'none' }],
    ['kafka://h/lab?partitions=48&replicas=3', { partitions: 48, replicas: 3 }],
    ['kafka://h/lab?tls=true&ca=/etc/me%40host/ca.pem', { tls: true, ca: '/etc/me@host/ca.pem' }],
    ['kafka://h/lab?tls=true&ca=/etc/me@host/ca.pem', { tls: true, ca: '/etc/me@host/ca.pem' }],
    ['kafka://h/lab?login=scram-sha-256&tls=false', { login: 'scram-sha-256', tls: false }],
  ])('%s', (url, meant) => {
    expect(parseKafkaUrl(url)).toMatchObject(meant);
  });

  it('uses defaults for missing settings', () => {
    expect(parseKafkaUrl('kafka://h:1/lab')).toMatchObject({ brokers: ['h:1'], prefix: 'lab', ...usual });
  });

  it.each([
    ['kafka:', /no broker/],
    ['kafka:///lab', /no broker/],
    ['kafka://h,/lab', /no broker/],
    ['kafka://h', /no prefix/],
    ['kafka://h/', /no prefix/],
    ['kafka://h/.lab', /the prefix "\.lab"/],
    ['kafka://h/a/b', /the prefix "a\/b"/],
    ['kafka://h/ä', /the prefix "ä"/],
    [`kafka://h/${'a'.repeat(201)}`, /the prefix/],
    ['kafka://h/lab#x', /no broker|the prefix/],
    ['kafka://h:x/lab', /the broker "h:x"/],
    ['kafka://h:65536/lab', /the broker "h:65536"/],
    ['kafka://::1/lab', /the broker "::1"/],
    ['kafka://h/lab?client=kafkajs', /the setting "client"/],
    ['kafka://h/lab?compression=lz4', /compression=lz4/],
    ['kafka://h/lab?partitions=0', /partitions=0/],
    ['kafka://h/lab?partitions=1.5', /partitions=1\.5/],
    ['kafka://h/lab?partitions=10001', /partitions=10001/],
    ['kafka://h/lab?replicas=-2', /replicas=-2/],
    ['kafka://h/lab?tls=yes', /tls=yes/],
    ['kafka://h/lab?ca=/etc/ca.pem', /ca without tls=true/],
    ['kafka://h/lab?tls=true&ca=', /ca=/],
  ])('is refused: %s', (url, message) => {
    const refusal = { name: 'BadServerUrl', kind: 'usage', message: expect.stringMatching(message) };
    expect(() => parseKafkaUrl(url)).toThrow(expect.objectContaining(refusal));
  });

  it('suggests the nearest setting', () => {
    const near = expect.objectContaining({ remedy: expect.stringContaining('"partitions"') });
    expect(() => parseKafkaUrl('kafka://h/lab?partition=3')).toThrow(near);
  });

  it.each([
    'kafka://ada:sesame@h/lab',
    'kafka://ada:sesame@h,eve:sesame@i/lab',
    'kafka://ada:ses@me-sesame@h/lab',
    'kafka://ada:x/sesame@h/lab',
    'kafka://ada:x?sesame@h/lab',
    'kafka://ada:x#sesame@h/lab',
    'kafka://h/sesame@lab',
    'kafka://h/lab?password=sesame',
    'kafka://h/lab?compression=gzip&sasl.password=sesame&tls=true',
    'kafka://h/lab?passphrase=open&pasword=sesame',
  ])('does not repeat a secret: %s', (url) => {
    const refusal = {
      message: expect.not.stringMatching(/sesame/),
      facts: expect.not.objectContaining({ url: expect.stringMatching(/sesame/) }),
      remedy: expect.stringContaining('ICECORE_KAFKA_PASSWORD'),
    };
    expect(() => parseKafkaUrl(url)).toThrow(expect.objectContaining(refusal));
  });

  it('parses to what was written, in any order, and gives one name to one place', () => {
    const host = fc.domain().map((name) => name.toLowerCase());
    const broker = fc.tuple(host, fc.integer({ min: 1, max: 65_535 })).map(([name, port]) => `${name}:${port}`);
    const settings = fc.record(
      {
        compression: fc.constantFrom(...compressions),
        partitions: fc.integer({ min: 1, max: 10_000 }),
        replicas: fc.integer({ min: 1, max: 100 }),
        tls: fc.boolean(),
        login: fc.constantFrom(...loginMechanisms),
      },
      { requiredKeys: [] },
    );
    const place = fc.record({
      brokers: fc.uniqueArray(broker, { minLength: 1, maxLength: 4 }),
      prefix: fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,40}$/),
      settings,
    });
    fc.assert(
      fc.property(place, ({ brokers, prefix, settings: said }) => {
        const query = Object.entries(said).map(([name, value]) => `${name}=${value}`);
        const url = (order: readonly string[]): string =>
          `kafka://${order.join(',')}/${prefix}${query.length === 0 ? '' : `?${query.join('&')}`}`;
        const found = parseKafkaUrl(url(brokers));
        expect(found).toMatchObject({ brokers, prefix, ...usual, ...said });
        const reversed = parseKafkaUrl(url(brokers.toReversed()));
        expect(nameOf(reversed)).toBe(nameOf(found));
        expect(parseKafkaUrl(nameOf(found))).toMatchObject({ brokers: brokers.toSorted(), prefix, ...usual });
      }),
    );
  });
});

// URLs of ledgers in EventStoreDB: their allowed content, and that passwords are never shown.
import { describe, expect, it } from 'vitest';
import { parseLedgerUrl, textOf } from '../stores.ts';
import { nameOf, parseEventStoreUrl } from './place.ts';

describe('the URL of a ledger in EventStoreDB', () => {
  it('names a server and a prefix, with TLS unless disabled', () => {
    expect(parseEventStoreUrl('esdb://localhost/lab')).toEqual({
      hosts: [{ address: 'localhost', port: 2113 }],
      discover: false,
      prefix: 'lab',
      user: null,
      password: null,
      tls: true,
      ca: null,
      patience: 30,
    });
    expect(parseEventStoreUrl('esdb://localhost:1234/lab?tls=false&patience=5')).toMatchObject({
      tls: false,
      patience: 5,
    });
  });

  it('may name all servers of a cluster, or one name for them', () => {
    expect(parseEventStoreUrl('esdb://a:1,b:2,c/lab').hosts.map(({ port }) => port)).toEqual([1, 2, 2113]);
    expect(parseEventStoreUrl('esdb+discover://cluster.example:2113/lab')).toMatchObject({ discover: true });
  });

  it('may contain the user, and is shown without the password', () => {
    const url = 'esdb://ada:s3cr%3At@localhost:2113/lab';
    expect(parseEventStoreUrl(url)).toMatchObject({ user: 'ada', password: 's3cr:t' });
    expect(textOf(parseLedgerUrl(url))).toBe('esdb://ada@localhost:2113/lab');
    expect(textOf(parseLedgerUrl(`split:${url}+sqlite:evidence.db`))).not.toContain('s3cr');
  });

  it('is the same place for any order of the servers', () => {
    expect(nameOf(parseEventStoreUrl('esdb://a,b/lab?tls=false'))).toBe(nameOf(parseEventStoreUrl('esdb://b,a/lab')));
  });

  for (const [url, what] of [
    ['esdb://localhost', 'no prefix for the streams'],
    ['esdb://localhost/my-lab', 'the prefix "my-lab"'],
    ['esdb:///lab', 'no host'],
    ['esdb://localhost:99999/lab', 'the host "localhost:99999"'],
    ['esdb://localhost/lab?tls=no', 'tls=no'],
    ['esdb://localhost/lab?patience=0', 'patience=0'],
    ['esdb://localhost/lab?tls=false&ca=x.pem', 'ca with tls=false'],
    ['esdb://localhost/lab?tsl=false', 'the setting "tsl"'],
    ['esdb://a:b:c@localhost/lab', 'a malformed user'],
  ] as const) {
    it(`is refused with the reason: ${url}`, () => {
      expect(() => parseEventStoreUrl(url)).toThrow(expect.objectContaining({ name: 'BadServerUrl' }));
      expect(() => parseEventStoreUrl(url)).toThrow(what);
    });
  }

  it('is refused without showing possible secrets', () => {
    for (const url of [
      'esdb://ada:s3cret@localhost',
      'esdb://a:s3cret:c@localhost/lab',
      'esdb://localhost/lab?password=s3cret',
      'esdb://ada:x@s3cret@localhost/lab',
      'esdb://ada:x/s3cret@localhost/lab',
      'esdb://ada:s3cret/x@localhost/lab',
      'esdb://ada:x?s3cret@localhost/lab',
      'esdb:/ada:s3cret@localhost/lab',
    ]) {
      const refusal = {
        message: expect.not.stringContaining('s3cret'),
        facts: expect.not.objectContaining({ url: expect.stringContaining('s3cret') }),
      };
      expect(() => parseLedgerUrl(url)).toThrow(expect.objectContaining(refusal));
    }
  });
});

import { describe, expect, it } from 'vitest';
import { hostIn, isLoopback } from '../../library/consent/requests.ts';

describe('the host of an address', () => {
  it.each([
    ['api.example.org', 'api.example.org'],
    ['API.Example.ORG', 'api.example.org'],
    ['api.example.org.', 'api.example.org'],
    ['api.example.org:443', 'api.example.org'],
    ['api.example.org:8443', 'api.example.org:8443'],
    ['https://api.example.org/v1', 'api.example.org'],
    ['http://api.example.org', 'api.example.org'],
    ['kafka://broker:9092', 'broker:9092'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['[0:0:0:0:0:0:0:1]:8000', '[::1]:8000'],
    ['b\u00fccher.example', 'xn--bcher-kva.example'],
  ])('is normalised: %s', (text, host) => {
    expect(hostIn(text)).toBe(host);
  });

  it.each(['', ' ', 'trusted.example@evil.example', 'https://trusted.example@evil.example', 'a/b', 'a?b', 'a#b', '//'])(
    'is null if the text could hide another host: %j',
    (text) => {
      expect(hostIn(text)).toBeNull();
    },
  );
});

describe('a loopback host', () => {
  it.each(['localhost', 'localhost:8000', '127.0.0.1', '127.8.9.10:80', '[::1]', '[::1]:9092', '[::ffff:7f00:1]'])(
    'can be written as %s',
    (host) => {
      expect(isLoopback(hostIn(host) ?? '')).toBe(true);
    },
  );

  it.each([
    ...['localhost.evil.com', '127.0.0.1.evil.com', 'evil.localhost', '0.0.0.0', '0', '[::]', '128.0.0.1', '10.0.0.1'],
    ...['[::ffff:a00:1]', '127.evil.com', 'localhost.localdomain'],
  ])('is not %s', (host) => {
    expect(isLoopback(hostIn(host) ?? '')).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { waitAskedFor, waitUntilReset } from './reading.ts';

const now = Date.UTC(2030, 0, 1);
const noError = {};

describe('the delay that an endpoint requests', () => {
  it.each<[object, number | null]>([
    [{}, null],
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Tue, 01 Jan 2030 00:01:30 GMT' }, 90_000],
    [{ 'retry-after': 'Mon, 31 Dec 2029 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'later' }, null],
    [{ 'retry-after': '-3' }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' }, 360_000],
    [{ 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '6m0s' }, null],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1m2.5s' }, 62_500],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '120ms' }, 120],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '9' }, 9000],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1900000000' }, null],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1'.repeat(16_000) }, null],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': 'soon' }, null],
    [{ 'x-ratelimit-remaining-requests': '0' }, null],
    [
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '2s',
      },
      2000,
    ],
  ])('%j: %s', (headers, wait) => {
    expect(waitAskedFor({ ...headers }, noError, now)).toBe(wait);
  });

  it('may be in the error, as with Google', () => {
    const details = [{ '@type': 'Help' }, { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' }];
    expect(waitAskedFor({}, { details }, now)).toBe(34_000);
  });

  it('applies as soon as fewer tokens are left than the next question may take', () => {
    const headers = { 'x-ratelimit-remaining-tokens': '500', 'x-ratelimit-reset-tokens': '3s' };
    expect(waitUntilReset(headers, 500)).toBe(null);
    expect(waitUntilReset(headers, 501)).toBe(3000);
  });
});

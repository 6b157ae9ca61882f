import { describe, expect, it } from 'vitest';
import { sign } from './client.ts';
import { s3Place } from './location.ts';

const url = 's3://examplebucket?region=us-east-1';
const example = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
/** The examples are signed for the bucket's name without the region. */
const place = { ...s3Place(url, example), base: 'https://examplebucket.s3.amazonaws.com' };
const datetime = '20130524T000000Z';

describe('signatures', () => {
  it.each([
    [{ lifecycle: '' }, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    [{ prefix: 'J', 'max-keys': '2' }, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])('match the examples in the documentation of S3: %j', async (query, signature) => {
    const { headers } = await sign(place, { method: 'GET', query }, datetime);
    expect(headers.get('authorization')).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
    );
  });

  it('include the hash of the body, and the token of temporary credentials', async () => {
    const temporary = s3Place(url, { ...example, AWS_SESSION_TOKEN: 'for now' });
    const { headers } = await sign(temporary, { method: 'PUT', key: 'k', body: Buffer.from('Welcome to Amazon S3.') });
    expect(headers.get('x-amz-content-sha256')).toBe(
      '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    );
    expect(headers.get('authorization')).toMatch(
      /SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token/,
    );
  });

  it('match the requested URL, whatever is in a key', async () => {
    const { url: asked } = await sign(place, { method: 'GET', key: "a b/ö+'(1)!*~", query: { prefix: 'a b&+' } });
    expect(asked).toBe(`${place.base}/a%20b/%C3%B6%2B%27%281%29%21%2A~?prefix=a%20b%26%2B`);
  });
});

import { describe, expect, it } from 'vitest';
import { s3Place } from './location.ts';

const keys = { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'hush' };

describe('a place on a server', () => {
  it.each([
    ['s3://bucket', {}, '', 'https://bucket.s3.us-east-1.amazonaws.com'],
    ['s3://bucket/', {}, '', 'https://bucket.s3.us-east-1.amazonaws.com'],
    ['s3://bucket/a/b', { AWS_REGION: 'eu-west-1' }, 'a/b/', 'https://bucket.s3.eu-west-1.amazonaws.com'],
    ['s3://bucket/a/?region=cn-north-1', { AWS_REGION: 'x' }, 'a/', 'https://bucket.s3.cn-north-1.amazonaws.com.cn'],
    ['s3://my.bucket', {}, '', 'https://s3.us-east-1.amazonaws.com/my.bucket'],
    ['s3://bucket/%C3%B6%20%25', {}, 'ö %/', 'https://bucket.s3.us-east-1.amazonaws.com'],
    [
      's3://bucket?endpoint=http://127.0.0.1:9000',
      { AWS_ENDPOINT_URL: 'http://no' },
      '',
      'http://127.0.0.1:9000/bucket',
    ],
    ['s3://bucket?endpoint=https://host/s3/', {}, '', 'https://host/s3/bucket'],
    ['s3://bucket', { AWS_ENDPOINT_URL: 'http://all' }, '', 'http://all/bucket'],
    ['s3://bucket', { AWS_ENDPOINT_URL: 'http://all', AWS_ENDPOINT_URL_S3: 'http://s3' }, '', 'http://s3/bucket'],
  ])('%s with %j', (url, environment, prefix, base) => {
    expect(s3Place(url, { ...environment, ...keys })).toMatchObject({ url, prefix, base });
  });

  it('takes its credentials from the environment', () => {
    const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'hush' };
    expect(s3Place('s3://bucket', keys).credentials).toEqual(credentials);
    const temporary = { ...keys, AWS_SESSION_TOKEN: 'for now' };
    expect(s3Place('s3://bucket', temporary).credentials.sessionToken).toBe('for now');
  });

  it('names missing credentials', () => {
    expect(() => s3Place('s3://bucket', { AWS_ACCESS_KEY_ID: 'AKIA' })).toThrow(
      expect.objectContaining({
        kind: 'usage',
        facts: expect.objectContaining({ missing: ['AWS_SECRET_ACCESS_KEY'] }),
      }),
    );
  });

  it.each([
    's3://AKIA:sesame@bucket',
    's3://AKIA:sesame@',
    's3://bucket?secretAccessKey=sesame',
    's3://bucket?AWS_SECRET_ACCESS_KEY=sesame',
    's3://bucket?X-Amz-Signature=sesame',
    's3://bucket?endpoint=http://AKIA:sesame@host',
    's3://bucket?endpoint=http://host?token=sesame',
    's3://bucket?password=sesame#x',
  ])('refuses %s, and does not repeat the secret', (url) => {
    expect(() => s3Place(url, keys)).toThrow(
      expect.objectContaining({ name: 'BadBlobUrl', kind: 'usage', message: expect.not.stringMatching(/sesame/) }),
    );
  });

  it.each([
    ['s3:bucket', /not the URL/],
    ['s3://', /names no bucket/],
    ['s3://b', /names no bucket/],
    ['s3://bucket:9000/x', /names no bucket/],
    ['s3://bucket?regoin=x', /knows no "regoin"; it takes endpoint and region/],
    ['s3://bucket/a//b', /empty name/],
    ['s3://bucket/a%zz', /encodes nothing/],
    ['s3://bucket/a#b', /%23/],
    ['s3://bucket?endpoint=127.0.0.1:9000', /endpoint/],
    ['s3://bucket?endpoint=ftp://host', /endpoint/],
  ])('refuses %s', (url, message) => {
    expect(() => s3Place(url, keys)).toThrow(
      expect.objectContaining({ name: 'BadBlobUrl', message: expect.stringMatching(message) }),
    );
  });
});

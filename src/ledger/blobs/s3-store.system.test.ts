import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Blobs } from './blobs.ts';
import { digestsIn, KiB, MiB, noise, readAll } from './contract/samples.ts';
import { VerifiedBlobs } from './open.ts';
import { packWhole } from './packing.ts';
import { S3Backend } from './s3/backend.ts';
import { S3Client } from './s3/client.ts';
import { s3Place } from './s3/location.ts';
import { broken, fault, type Reply, ScriptedServer, type Seen, silent, status } from './testing/scripted-server.ts';

const environment = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
const patience = { attempts: 3, firstPauseMs: 1, answerMs: 10_000 };
const digest = hash('sha256', 'text');

let server: ScriptedServer;
let blobs: Blobs;

function blobsAt(endpoint: string, answerMs = patience.answerMs): Blobs {
  const place = s3Place(`s3://bucket?endpoint=${endpoint}`, environment);
  return new VerifiedBlobs(new S3Backend(new S3Client(place, { ...patience, answerMs })), false);
}

beforeAll(async () => {
  server = await ScriptedServer.start();
  blobs = blobsAt(server.endpoint);
});
afterAll(async () => {
  await blobs.close();
  await server.stop();
});

const sequence = (...replies: readonly Reply[]) =>
  server.answer((_, index) => replies[Math.min(index, replies.length - 1)] ?? broken);

const stored = status(200, packWhole(Buffer.from('text')));

describe('a server with a transient error', () => {
  it.each([
    ['is overloaded', fault(503, 'SlowDown')],
    ['has a fault', fault(500, 'InternalError')],
    ['is asked too often', fault(429, 'TooManyRequests')],
    ['breaks the connection', broken],
    [
      'breaks off its answer',
      (response) => response.writeHead(200, { 'content-length': '99' }).write('abc', () => response.destroy()),
    ],
  ] satisfies [string, Reply][])('because it %s is retried', async (_, failure) => {
    sequence(failure, failure, stored);
    expect(Buffer.from(await blobs.get(digest)).toString()).toBe('text');
    expect(server.seen).toHaveLength(3);
  });

  it.each([
    ['answered 503 SlowDown', fault(503, 'SlowDown')],
    ['other side closed', broken],
  ])('that persists is unavailable, with the reason: %s', async (why, failure) => {
    sequence(failure);
    await expect(blobs.get(digest)).rejects.toMatchObject({
      name: 'BlobsUnavailable',
      kind: 'unavailable',
      message: expect.stringMatching(new RegExp(`${why}, 3 times in a row|socket hang up`)),
    });
    expect(server.seen).toHaveLength(3);
  });

  it('that is silent is unavailable', async () => {
    sequence(silent);
    const impatient = blobsAt(server.endpoint, 20);
    await expect(impatient.get(digest)).rejects.toMatchObject({
      name: 'BlobsUnavailable',
      message: expect.stringMatching(/no answer within 0.02 s/),
    });
  });

  it('that cannot be reached is unavailable', async () => {
    const gone = await ScriptedServer.start();
    const { endpoint } = gone;
    await gone.stop();
    await expect(blobsAt(endpoint).put('text')).rejects.toMatchObject({
      name: 'BlobsUnavailable',
      message: expect.stringMatching(/ECONNREFUSED/),
    });
  });
});

describe('a refusal', () => {
  const writing = (refusal: Reply) => server.answer(({ line }) => (line.startsWith('PUT') ? refusal : status(404)));

  it('is not retried, and names the permission', async () => {
    writing(fault(403, 'AccessDenied'));
    await expect(blobs.put('text')).rejects.toMatchObject({
      name: 'StorageFailed',
      kind: 'storage',
      message: expect.stringMatching(/forbids s3:PutObject \(AccessDenied\)/),
      remedy: expect.stringMatching(/Allow s3:PutObject on the bucket bucket/),
    });
    expect(server.seen.map(({ line }) => line.split(' ')[0])).toEqual(['GET', 'PUT']);
  });

  it('to read mentions that missing objects may be forbidden as well', async () => {
    sequence(status(403));
    await expect(blobs.has(digest)).rejects.toMatchObject({ remedy: expect.stringMatching(/s3:ListBucket/) });
  });

  it.each([
    [fault(403, 'SignatureDoesNotMatch'), 'storage', /does not accept the credentials/],
    [fault(403, 'ExpiredToken'), 'storage', /does not accept the credentials/],
    [fault(403, 'RequestTimeTooSkewed'), 'storage', /the clocks differ too much/],
    [fault(404, 'NoSuchBucket'), 'not-found', /no bucket "bucket"/],
    [fault(400, 'AuthorizationHeaderMalformed', '<Region>eu-west-1</Region>'), 'usage', /is in region eu-west-1/],
    [status(301, '', { 'x-amz-bucket-region': 'eu-west-1' }), 'usage', /is in region eu-west-1/],
    [fault(405, 'MethodNotAllowed'), 'storage', /answered 405 MethodNotAllowed so it is/],
  ] satisfies [Reply, string, RegExp][])('is reported with its meaning (%#)', async (refusal, kind, message) => {
    writing(refusal);
    await expect(blobs.put('text')).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
    sequence(refusal);
    await expect(digestsIn(blobs)).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
  });

  it('to find the bucket is not reported as a missing blob', async () => {
    sequence(fault(404, 'NoSuchBucket'));
    await expect(blobs.get(digest)).rejects.toMatchObject({ name: 'BlobStoreMissing' });
  });
});

describe('a list', () => {
  it('that is interrupted is not taken as complete', async () => {
    sequence(status(200, '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>'));
    await expect(digestsIn(blobs)).rejects.toMatchObject({
      message: expect.stringMatching(/incomplete list without a token/),
    });
  });
});

describe('an upload in parts', () => {
  const large = noise(20 * MiB);
  const begun = status(200, '<R><UploadId>u&amp;1</UploadId></R>');
  const tagged = status(200, '', { etag: '"tag"' });

  type Step = 'begin' | 'part' | 'complete' | 'abort' | 'head';
  const steps: Readonly<Record<string, Step>> = { PUT: 'part', POST: 'complete', DELETE: 'abort', HEAD: 'head' };

  function stepOf({ line, query }: Seen): Step {
    return query.has('uploads') ? 'begin' : (steps[line.split(' ')[0] ?? ''] ?? 'head');
  }

  function play(parts: Partial<Record<Step, Reply>>): void {
    const usual: Record<Step, Reply> = {
      begin: begun,
      part: tagged,
      complete: status(200),
      abort: status(204),
      head: status(404),
    };
    server.answer((seen) => parts[stepOf(seen)] ?? usual[stepOf(seen)]);
  }

  const seenSteps = () => server.seen.map(stepOf);

  it('sends every byte once, and joins the parts in order', async () => {
    play({});
    await blobs.put(large);
    const parts = server.seen.filter((seen) => stepOf(seen) === 'part');
    parts.sort((a, b) => Number(a.query.get('partNumber')) - Number(b.query.get('partNumber')));
    expect(parts.map(({ query }) => query.get('uploadId'))).toEqual(['u&1', 'u&1', 'u&1']);
    const [blob] = server.seen.map(({ line }) => line.split('/').slice(-2).join(''));
    expect(`${hash('sha256', large)}.zst`).toBe(blob);
    expect(server.seen.at(-1)?.body.toString()).toMatch(/<PartNumber>3<\/PartNumber><ETag>"tag"<\/ETag>/);
  });

  it('that fails is aborted', async () => {
    play({ part: fault(403, 'AccessDenied') });
    await expect(blobs.put(large)).rejects.toMatchObject({ name: 'StorageFailed' });
    expect(seenSteps().at(-1)).toBe('abort');
    expect(server.seen.at(-1)?.query.get('uploadId')).toBe('u&1');
  });

  it('reports the first error, even if it cannot be aborted', async () => {
    play({ part: fault(403, 'AccessDenied'), abort: fault(500, 'InternalError') });
    await expect(blobs.put(large)).rejects.toMatchObject({ message: expect.stringMatching(/forbids s3:PutObject/) });
  });

  it('succeeds if the answer to its completion was lost', async () => {
    let completed = 0;
    const bytes = () =>
      server.seen.reduce((sum, seen) => sum + (stepOf(seen) === 'part' ? seen.body.byteLength : 0), 0);
    play({
      complete: (response, seen) => (completed++ === 0 ? broken : fault(404, 'NoSuchUpload'))(response, seen),
      head: (response, seen) =>
        (completed === 0 ? status(404) : status(200, '', { 'content-length': String(bytes()) }))(response, seen),
    });
    await blobs.put(large);
    expect(seenSteps()).not.toContain('abort');
  });

  it('that the server has lost fails', async () => {
    play({ complete: fault(404, 'NoSuchUpload') });
    await expect(blobs.put(large)).rejects.toMatchObject({ message: expect.stringMatching(/lost a multipart upload/) });
  });

  it('is completed again after a failure with status 200', async () => {
    let completed = 0;
    play({
      complete: (response, seen) => (completed++ === 0 ? fault(200, 'InternalError') : status(200))(response, seen),
    });
    await blobs.put(large);
    expect(completed).toBe(2);
    expect(seenSteps()).not.toContain('abort');
  });
});

describe('a download', () => {
  const large = noise(3 * MiB);
  const packed = packWhole(large);
  const of = hash('sha256', large);

  /** Answers ranges, and closes the connection after this many bytes of each. */
  const breakingAfter =
    (bytes: number): Reply =>
    (response, { headers }) => {
      const [, first = '0', last = ''] = /bytes=(\d+)-(\d*)/.exec(headers.range ?? '') ?? [];
      const part = packed.subarray(Number(first), last === '' ? undefined : Number(last) + 1);
      const range = `bytes ${first}-${Number(first) + part.byteLength - 1}/${packed.byteLength}`;
      response.writeHead(206, { 'content-range': range, 'content-length': String(part.byteLength) });
      if (last !== '' || part.byteLength <= bytes) response.end(part);
      else response.write(part.subarray(0, bytes), () => response.destroy());
    };

  it('that is interrupted is resumed', async () => {
    sequence(breakingAfter(400 * KiB));
    expect(large.equals(await readAll(blobs, of))).toBe(true);
    expect(server.seen.length).toBeGreaterThan(5);
  });

  it('of an object without bytes, which has no range, counts as damage', async () => {
    sequence(fault(416, 'InvalidRange'));
    await expect(blobs.get(of)).rejects.toMatchObject({ name: 'BlobDamaged' });
  });

  it('that makes no progress is unavailable, not damaged', async () => {
    sequence(breakingAfter(0));
    await expect(blobs.get(of)).rejects.toMatchObject({
      name: 'BlobsUnavailable',
      message: expect.stringMatching(/was interrupted/),
    });
  });
});

describe('the checks of a store', () => {
  const begun = status(200, '<Result><UploadId>one</UploadId></Result>');
  const looked = async (upload: Reply): Promise<string[]> => {
    server.answer(({ line }) => (line.startsWith('POST') ? upload : status(200)));
    return (await blobs.check()).map((check) => `${check.name} ${check.status}: ${check.found}`);
  };

  it('test whether it can be written, and leave nothing behind', async () => {
    expect(await looked(begun)).toContain('writing ok: possible: an upload was started and aborted');
    const changed = server.seen.filter(({ line }) => !line.startsWith('GET'));
    expect(changed.map(({ line, query }) => `${line}?${query}`)).toEqual([
      'POST /bucket/upload?uploads=',
      'DELETE /bucket/upload?uploadId=one',
    ]);
  });

  it('report that it can be read but not written', async () => {
    const [answers, writing] = await looked(fault(403, 'AccessDenied'));
    expect(answers).toMatch(/^blobs ok: s3:.* answers$/);
    expect(writing).toMatch(/^writing failed: .* forbids s3:PutObject/);
  });
});

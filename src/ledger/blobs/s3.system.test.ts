import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf } from './blobs.ts';
import { blobContract } from './contract/contract.ts';
import { below, clientOf, s3Fixture } from './contract/fixtures.ts';
import { digestsIn, MiB, noise } from './contract/samples.ts';
import { openBlobs } from './open.ts';
import { elementsOf } from './s3/xml.ts';
import { be, type S3Server, startServer, whyNoServer } from './testing/s3-server.ts';

const reason = whyNoServer();
if (reason !== null) console.warn(`The tests of the S3 store are skipped: ${reason}`);

describe.skipIf(reason !== null)('a real S3-compatible server', () => {
  let server: S3Server;

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    await server?.stop();
  });

  blobContract('S3', () => s3Fixture(server.plain));

  describe('a prefix', () => {
    it.each(['with space', 'a+b=c&d', "100%/it's/ö~*(1)!", 'deep/er/and/deeper'])('may be %j', async (prefix) => {
      const url = below(server.plain, encodeURI(prefix).replaceAll('?', '%3F'));
      const blobs = await openBlobs(url);
      const [small, large] = await blobs.putAll(['small', noise(9 * MiB)]);
      expect(await digestsIn(blobs)).toEqual([small?.digest, large?.digest].sort());
      expect((await blobs.get(large?.digest ?? '')).byteLength).toBe(9 * MiB);
      for (const digest of await digestsIn(blobs)) await blobs.erase(digest);
      await blobs.close();
    });

    it('excludes objects next to and below it', async () => {
      const [one, inside, beside] = await Promise.all(
        ['one', 'one/ab', 'one2'].map((prefix) => openBlobs(below(server.plain, prefix))),
      );
      await inside?.put('inside');
      await beside?.put('beside');
      const found = await one?.put('one');
      expect(one && (await digestsIn(one))).toEqual([found?.digest]);
    });
  });

  describe('started for the tests', () => {
    const own = () => {
      if (server.own === null) throw new Error('not a server of its own');
      return server.own;
    };

    it('destroys a blob with all its versions if the bucket keeps them', async ({ skip }) => {
      skip(server.own === null, 'needs a server of its own');
      const client = clientOf(own().versioned);
      const enabled = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
      await client.ask({ method: 'PUT', query: { versioning: '' }, body: Buffer.from(enabled), permission: '' });
      const blobs = await openBlobs(own().versioned);
      const { digest } = await blobs.put('private');
      await client.ask({ method: 'DELETE', key: keyOf(digest), permission: '' });
      await blobs.put('private');
      const versions = async () => {
        const { body } = await client.ask({ method: 'GET', query: { versions: '' }, permission: '' });
        return ['Version', 'DeleteMarker'].flatMap((name) => elementsOf(body.toString(), name)).length;
      };
      expect(await versions()).toBe(3);
      expect(await blobs.erase(digest)).toBe(true);
      expect(await versions()).toBe(0);
      expect(await blobs.erase(digest)).toBe(false);
    });

    it('reports which permission is missing, and for whom', async ({ skip }) => {
      skip(server.own === null, 'needs a server of its own');
      const owner = {
        accessKeyId: process.env['AWS_ACCESS_KEY_ID'] ?? '',
        secretAccessKey: process.env['AWS_SECRET_ACCESS_KEY'] ?? '',
      };
      const { stranger } = own();
      const refusals = [
        [stranger, /forbids s3:ListBucket \(AccessDenied\)/],
        [{ ...owner, secretAccessKey: 'wrong' }, /does not accept the credentials \(SignatureDoesNotMatch\)/],
        [{ ...owner, accessKeyId: 'nobody' }, /does not accept the credentials \(InvalidAccessKeyId\)/],
      ] as const;
      try {
        for (const [credentials, message] of refusals) {
          be(credentials);
          const refused = { name: 'StorageFailed', kind: 'storage', message: expect.stringMatching(message) };
          await expect(openBlobs(server.plain)).rejects.toMatchObject(refused);
        }
      } finally {
        be(owner);
      }
    });

    it('reports a missing bucket, and the right region', async ({ skip }) => {
      skip(server.own === null, 'needs a server of its own');
      const missing = server.plain.replace('s3://plain', 's3://nowhere');
      await expect(openBlobs(missing)).rejects.toMatchObject({
        name: 'BlobStoreMissing',
        kind: 'not-found',
        message: expect.stringMatching(/no bucket "nowhere"/),
      });
      const elsewhere = server.plain.replace('us-east-1', 'eu-west-9');
      await expect(openBlobs(elsewhere)).rejects.toMatchObject({
        name: 'BadBlobUrl',
        message: expect.stringMatching(/us-east-1/),
      });
    });
  });
});

// Malicious answers of a server: lists that are slow to parse, invalid characters, answers that fill the memory.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScriptedServer, status } from '../testing/scripted-server.ts';
import { S3Backend } from './backend.ts';
import { S3Client } from './client.ts';
import { s3Place } from './location.ts';
import { elementsOf, textOf } from './xml.ts';

describe('a list', () => {
  it.each(['<Contents>', '<Contents ', '<Contents x', '<Contents></Content>', '<Contents><Key>'])(
    'is parsed in one pass, however often an element begins in it: %s',
    (text) => {
      const long = text.repeat(1_000_000);
      expect(elementsOf(long, 'Contents')).toEqual([]);
      expect(textOf(long, 'Contents')).toBeNull();
      expect(textOf(long, 'Key')).toBeNull();
    },
  );

  it('has the elements of its name, and no others', () => {
    const xml = '<a><Key>1</Key><Keys>2</Keys><Key x="y">3</Key><Key\n>4</Key><Key/></a><Key>5';
    expect(elementsOf(xml, 'Key')).toEqual(['1', '3', '4']);
    expect(textOf('<Key><b>1</b></Key><Key>2</Key>', 'Key')).toBe('2');
  });
});

describe('a reference to a character', () => {
  it.each([
    ['&#x110000;', '&#x110000;'],
    ['&#x7fffffff;', '&#x7fffffff;'],
    [`&#${'9'.repeat(400)};`, `&#${'9'.repeat(400)};`],
    ['&constructor;', '&constructor;'],
    ['&#x10ffff;&#65;&amp;', '\u{10ffff}A&'],
  ])('is resolved, or left unchanged if invalid: %s', (written, read) => {
    expect(textOf(`<Key>${written}</Key>`, 'Key')).toBe(read);
  });

  it('never throws, whatever it refers to', () => {
    fc.assert(fc.property(fc.string(), fc.nat(), (text, point) => void textOf(`<K>&#${point};&#x${text};</K>`, 'K')));
  });
});

describe('an answer that is much too long', () => {
  it('is refused', async () => {
    const server = await ScriptedServer.start();
    server.answer(() => (response) => void response.end(Buffer.alloc(80 * 1024 * 1024)));
    const environment = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
    const client = new S3Client(s3Place(`s3://bucket?endpoint=${server.endpoint}`, environment));
    await expect(client.ask({ method: 'GET', permission: 's3:ListBucket' })).rejects.toMatchObject({
      name: 'StorageFailed',
      message: expect.stringContaining('answered with more than'),
    });
    await server.stop();
  });
});

describe('a list that never ends', () => {
  it.each([1, 3])('is refused when its token repeats after %i', async (tokens) => {
    const server = await ScriptedServer.start();
    server.answer((_, index) => {
      const next = `<NextContinuationToken>t${index % tokens}</NextContinuationToken>`;
      return status(200, `<ListBucketResult><IsTruncated>true</IsTruncated>${next}</ListBucketResult>`);
    });
    const environment = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
    const client = new S3Client(s3Place(`s3://bucket?endpoint=${server.endpoint}`, environment));
    const listing = async (): Promise<void> => {
      for await (const _ of new S3Backend(client).list()) if (server.seen.length > 10) throw new Error('it goes on');
    };
    await expect(listing()).rejects.toThrow('returned an incomplete list that repeats itself');
    expect(server.seen).toHaveLength(tokens + 1);
    await server.stop();
  });
});

describe('a very slow answer', () => {
  it('is cancelled, and retried only as often as any other', async () => {
    const server = await ScriptedServer.start();
    server.answer(() => (response) => {
      const trickle = setInterval(() => response.write('x'), 1);
      response.on('close', () => clearInterval(trickle));
    });
    const environment = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
    const patience = { attempts: 2, firstPauseMs: 1, answerMs: 200 };
    const client = new S3Client(s3Place(`s3://bucket?endpoint=${server.endpoint}`, environment), patience);
    const asking = client.ask({ method: 'GET', permission: 's3:ListBucket' });
    await expect(asking).rejects.toThrow('no whole answer within 1 s');
    expect(server.seen).toHaveLength(2);
    await server.stop();
  });
});

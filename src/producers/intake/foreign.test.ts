import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BadPiece, ForeignInput } from './faults.ts';
import { pieces } from './pieces.ts';
import { readPiece } from './reading.ts';
import { collectAll, inChunks } from './testing/chunks.ts';

const limit = 10_000;
const defaults = { stream: null, isOnlyStream: false, now: () => '2026-01-01T00:00:00Z' };

async function refusal(input: string | Uint8Array): Promise<unknown> {
  return await collectAll(pieces(inChunks(input, 3), limit)).catch((error: unknown) => error);
}

describe('a compressed or binary input', () => {
  it.each<[string, Uint8Array, string]>([
    ['gzip', gzipSync('{"id":1}\n'), 'zcat FILE | icecore event append'],
    ['Zstandard', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x04]), 'zstdcat FILE | icecore event append'],
    ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), 'xzcat FILE | icecore event append'],
    ['bzip2', Buffer.from('BZh91AY&SY'), 'bzcat FILE | icecore event append'],
    ['a ZIP archive', Buffer.from('PK\u0003\u0004\n'), 'unzip -p FILE | icecore event append'],
    ['an SQLite database', Buffer.from('SQLite format 3\0\n'), '--ledger sqlite:FILE'],
  ])('is recognised as %s by its first bytes, with how to convert it', async (name, bytes, remedy) => {
    const fault = await refusal(bytes);
    expect(fault).toBeInstanceOf(ForeignInput);
    expect(fault).toMatchObject({ kind: 'bad-input', facts: { found: name } });
    expect((fault as ForeignInput).remedy).toContain(remedy);
  });

  it('is not assumed if a text starts alike', async () => {
    expect(await refusal('BZ\n')).toHaveLength(1);
    expect(await refusal('P')).toHaveLength(1);
  });
});

describe('a first line that is not JSON', () => {
  function remedyFor(line: string | Uint8Array, at = 1): string {
    const bytes = Buffer.from(line as string);
    try {
      readPiece({ line: at, bytes, size: bytes.length, isTooLong: false, isEnded: true }, limit, defaults);
    } catch (error) {
      if (error instanceof BadPiece) return error.remedy;
      throw error;
    }
    throw new Error('it was taken');
  }

  it('of a table gets advice on how to convert a table to events', () => {
    for (const header of ['step,reward,outcome', 'step\treward\toutcome', '"step";"reward";"outcome"'])
      expect(remedyFor(header)).toMatch(/^This looks like a table: .* one JSON object per line/);
  });

  it('of binary data is reported as a binary file', () => {
    expect(remedyFor(Buffer.from([0x89, 0x50, 0x4e, 0x47]))).toMatch(/^This looks like a binary file/);
    expect(remedyFor(Buffer.from('PAR1\u0000\u0015\u0004'))).toMatch(/^This looks like a binary file/);
  });

  it('of other text explains the input', () => {
    expect(remedyFor('Epoch 1 begins')).toMatch(/^The input must be one JSON object per line/);
  });

  it('gets advice only if it comes first and does not start as JSON: otherwise the line must be corrected', () => {
    expect(remedyFor('step,reward', 2)).toBe('');
    expect(remedyFor('{"id": NaN}')).toBe('');
    expect(remedyFor(Buffer.from([0x7b, 0xff]))).toBe('');
  });
});

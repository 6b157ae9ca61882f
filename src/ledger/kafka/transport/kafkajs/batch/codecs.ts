// The codecs of record batches, by the number a batch names them with. They run beside the event loop.
import { promisify } from 'node:util';
import { gunzip, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Compression } from '../../transport.ts';

interface Codec {
  readonly name: string;
  readonly number: number;
  readonly compress: (bytes: Buffer) => Promise<Buffer>;
  readonly decompress: (bytes: Buffer) => Promise<Buffer>;
}

const asItIs = async (bytes: Buffer): Promise<Buffer> => bytes;

const codecs: Readonly<Record<Compression, Codec>> = {
  none: { name: 'none', number: 0, compress: asItIs, decompress: asItIs },
  gzip: {
    name: 'gzip',
    number: 1,
    compress: promisify<Buffer, Buffer>(gzip),
    decompress: promisify<Buffer, Buffer>(gunzip),
  },
  zstd: {
    name: 'zstd',
    number: 4,
    compress: promisify<Buffer, Buffer>(zstdCompress),
    decompress: promisify<Buffer, Buffer>(zstdDecompress),
  },
};

const foreign = new Map([
  [2, 'snappy'],
  [3, 'lz4'],
]);

const byNumber = new Map(Object.values(codecs).map((codec) => [codec.number, codec]));

export function codecOf(compression: Compression): Codec {
  return codecs[compression];
}

/** Undefined for one that Node does not have. */
export function codecNumbered(number: number): Codec | undefined {
  return byNumber.get(number);
}

export function codecName(number: number): string {
  return byNumber.get(number)?.name ?? foreign.get(number) ?? `codec ${number}`;
}

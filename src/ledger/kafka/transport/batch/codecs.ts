// The codecs of record batches, by the number a batch names them with. They run beside the event loop.
import { promisify } from 'node:util';
import { constants, gunzip, gzip, type ZstdOptions, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Compression } from '../transport.ts';

interface Codec {
  readonly name: string;
  readonly number: number;
  readonly compress: (bytes: Buffer) => Promise<Buffer>;
  readonly decompress: (bytes: Buffer) => Promise<Buffer>;
}

/** Batches are some hundred kilobytes: in larger pieces than zlib's own 16 KiB they are unpacked in half the time. */
const chunkSize = 256 * 1024;
/** Producers make batches of a megabyte or so; a few hundred bytes could be made to unpack to all the memory there is. */
export const mostUnpackedBytes = 64 * 1024 * 1024;
const unpacking = { chunkSize, maxOutputLength: mostUnpackedBytes };
/** Of events, zstd makes no less at its usual level, and takes twice the time. */
const quick: ZstdOptions = { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const asItIs = async (bytes: Buffer): Promise<Buffer> => bytes;

const codecs: Readonly<Record<Compression, Codec>> = {
  none: { name: 'none', number: 0, compress: asItIs, decompress: asItIs },
  gzip: {
    name: 'gzip',
    number: 1,
    compress: promisify<Buffer, Buffer>(gzip),
    decompress: (bytes) => promisify(gunzip)(bytes, unpacking),
  },
  zstd: {
    name: 'zstd',
    number: 4,
    compress: (bytes) => promisify(zstdCompress)(bytes, quick),
    decompress: (bytes) => promisify(zstdDecompress)(bytes, unpacking),
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

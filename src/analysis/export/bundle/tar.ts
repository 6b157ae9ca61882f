// The tar format (POSIX ustar), as little of it as a bundle needs: plain files with short names, and nothing about them
// that differs from machine to machine. There is one way to write such a member. Whoever reads a bundle knows which members
// come, makes the same header and compares the bytes: so nothing that a tar may else say, links, devices, paths that lead
// elsewhere, headers of any length, is ever looked at.

const block = 512;

/** Sizes that fit into eleven octal digits; larger ones are written in base 256, as GNU tar does. */
const widestOctal = 8 ** 11 - 1;

export function headerOf(name: string, bytes: number): Buffer {
  const header = Buffer.alloc(block);
  if (Buffer.byteLength(name) > 100) throw new TypeError(`a name too long for a member: ${name}`);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  writeSize(header, bytes);
  header.write('00000000000\0', 136);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\0' + '00', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function writeSize(header: Buffer, bytes: number): void {
  if (bytes <= widestOctal) {
    header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
    return;
  }
  header.writeUInt8(0x80, 124);
  header.writeBigUInt64BE(BigInt(bytes), 128);
}

/** What a header says of its size; null where it says none. Whether it is a header at all is for `headerOf` to tell. */
export function sizeIn(header: Buffer): number | null {
  const [, octal] = /^([0-7]{11})\0$/.exec(header.toString('latin1', 124, 136)) ?? [];
  return octal === undefined ? null : Number.parseInt(octal, 8);
}

/** The number of zeros after this number of bytes, up to the end of a block. */
export function paddingAfter(bytes: number): number {
  return (block - (bytes % block)) % block;
}

export const headerBytes: number = block;

/** What follows the last member. */
export const endOfTar: Buffer = Buffer.alloc(2 * block);

// A file in pieces. It is opened when the first is asked for, so that nobody has to close what was never read.
import { open } from 'node:fs/promises';
import { translate } from './faults.ts';

const pieceBytes = 256 * 1024;

export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  try {
    const file = await open(path, 'r');
    try {
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    throw translate(error, path);
  }
}

// Files of blobs: as a whole, or in pieces.
import { type FileHandle, open } from 'node:fs/promises';
import { translate } from './faults.ts';

const pieceBytes = 256 * 1024;

/** So many bytes from there on; fewer where the file ends. */
export async function readRange(file: FileHandle, from: number, size: number): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(whole, filled, size - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return whole.subarray(0, filled);
}

/** The file is opened when the first piece is asked for, so that nobody has to close what was never read. */
export async function* readPieces(
  path: string,
  opened: () => Promise<FileHandle> = () => open(path, 'r'),
): AsyncGenerator<Uint8Array> {
  try {
    const file = await opened();
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

// Reads a file that the user names. It may be a pipe, such as that of `<(…)`, whose writer may come late or never. Waiting for it in a call of
// the system would block the process, even its end after a signal; so it is opened without waiting and its bytes are awaited as events.
import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';

/** Throws the error of the file system if it cannot be opened. The stream closes the file and ends when the signal aborts. */
export function openGivenFile(path: string, signal: AbortSignal): Readable {
  return addAbortSignal(signal, streamOf(openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))));
}

function streamOf(fd: number): Readable {
  if (isatty(fd)) return new ReadStream(fd);
  if (fstatSync(fd).isFIFO()) return new Socket({ fd, readable: true, writable: false });
  return createReadStream('', { fd });
}

/** No settings, query or key is larger. Endless input, such as a device, would fill the memory. */
const maxBytes = 64 * 1024 * 1024;

/** A whole file as text. Throws the error of the file system, and that of the signal. */
export async function readGivenFile(path: string, signal: AbortSignal): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of openGivenFile(path, signal) as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

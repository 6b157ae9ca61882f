// What the command and its question process say to each other over one socket: frames of a kind, a length, and so many bytes.
// Frames of an answer are small, so that neither side ever holds more than a few of them.
import type { Socket } from 'node:net';
import { parseJson } from '../../../../schemas/json-text.ts';

export type Frame =
  | { readonly kind: 'message'; readonly message: unknown }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

const kinds = { message: 1, bytes: 2 } as const;
const headBytes = 5;

/** The longest message is a request: the question as it was typed or piped. */
const longestFrame = 2 ** 28;

/** The pieces in which an answer is sent. */
export const pieceBytes = 2 ** 16;

export class BrokenFrames extends Error {
  override readonly name = 'BrokenFrames';
}

/** Resolves when the other side is ready for more. */
export function sendMessage(socket: Socket, message: unknown): Promise<void> {
  return send(socket, kinds.message, Buffer.from(JSON.stringify(message)));
}

export function sendBytes(socket: Socket, bytes: Uint8Array): Promise<void> {
  return send(socket, kinds.bytes, bytes);
}

async function send(socket: Socket, kind: number, payload: Uint8Array): Promise<void> {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(kind);
  head.writeUInt32BE(payload.length, 1);
  socket.write(head);
  await new Promise<void>((resolve, reject) => {
    socket.write(payload, (fault) => (fault === null || fault === undefined ? resolve() : reject(fault)));
  });
}

/** Frames in their order; reads no further while the last one is being used. Throws BrokenFrames. */
export async function* framesOf(socket: AsyncIterable<Buffer>): AsyncGenerator<Frame, void, undefined> {
  let parts: Buffer[] = [];
  let held = 0;
  let needed = headBytes;
  for await (const part of socket) {
    parts.push(part);
    held += part.length;
    if (held < needed) continue;
    let bytes = Buffer.concat(parts, held);
    for (;;) {
      needed = headBytes + (bytes.length < headBytes ? 0 : lengthOf(bytes));
      if (bytes.length < needed) break;
      yield frameIn(bytes, bytes.subarray(headBytes, needed));
      bytes = bytes.subarray(needed);
    }
    parts = bytes.length === 0 ? [] : [bytes];
    held = bytes.length;
  }
}

function lengthOf(bytes: Buffer): number {
  const length = bytes.readUInt32BE(1);
  if (length > longestFrame) throw new BrokenFrames(`a frame of ${length} bytes`);
  return length;
}

function frameIn(bytes: Buffer, payload: Buffer): Frame {
  const kind = bytes.readUInt8();
  if (kind === kinds.bytes) return { kind: 'bytes', bytes: payload };
  if (kind === kinds.message) return { kind: 'message', message: parseJson(payload.toString()) };
  throw new BrokenFrames(`a frame of kind ${kind}`);
}

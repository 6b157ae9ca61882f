// kafkajs takes the length of an answer as the broker says it: a few bytes from whatever listens there would end the process,
// or fill its memory. The sockets it gets close instead.
import type { Socket } from 'node:net';

/** Every answer begins with the number of its request. */
const leastBytes = 4;
/** More than any fetch asks for, with room for the one batch that a broker returns whatever its size. */
const mostBytes = 128 * 1024 * 1024;

export type SocketFactory = (options: object) => Socket;

export class BadFrame extends Error {
  override readonly name = 'BadFrame';

  constructor(bytes: number) {
    super(`found an answer of ${bytes} bytes, allowed: ${leastBytes} to ${mostBytes}: this is no Kafka broker`);
  }
}

/** Makes sockets whose data listeners get no byte of an answer with an impossible length. */
export function guarded(factory: SocketFactory): SocketFactory {
  return (options) => {
    const socket = factory(options);
    const frames = new Frames();
    const on = socket.on.bind(socket);
    const guard = (event: string, listener: (...args: unknown[]) => void): Socket => {
      if (event !== 'data') return on(event, listener);
      return on('data', (chunk: Buffer) => {
        const bad = frames.firstBad(chunk);
        if (bad === null) listener(chunk);
        else if (!socket.destroyed) socket.destroy(new BadFrame(bad));
      });
    };
    socket.on = guard as Socket['on'];
    return socket;
  };
}

/** Follows the lengths of answers through the pieces in which they come. */
export class Frames {
  /** Bytes of the present answer that are yet to come. */
  #left = 0;
  #length = 0;
  #lengthBytes = 0;
  #bad: number | null = null;

  /** The first length that cannot be one, now or before; null where all can. */
  firstBad(chunk: Buffer): number | null {
    for (let at = 0; at < chunk.length && this.#bad === null; ) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.length - at);
        this.#left -= taken;
        at += taken;
      } else this.#takeLengthByte(chunk[at++] as number);
    }
    return this.#bad;
  }

  #takeLengthByte(byte: number): void {
    this.#length = (this.#length << 8) | byte;
    if (++this.#lengthBytes < 4) return;
    if (this.#length < leastBytes || this.#length > mostBytes) this.#bad = this.#length;
    else this.#left = this.#length;
    this.#length = 0;
    this.#lengthBytes = 0;
  }
}

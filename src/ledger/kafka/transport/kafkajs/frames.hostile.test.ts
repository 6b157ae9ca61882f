import { createServer, type Server } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { openLedger } from '../../../open.ts';
import { Frames } from './frames.ts';

let server: Server | undefined;
afterEach(() => server?.close());

/** Something that answers whatever it is sent with the same bytes. */
async function answering(bytes: Buffer): Promise<number> {
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write(bytes));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function frame(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(length);
  return bytes;
}

describe('something that is no broker', () => {
  it.each([
    ['too short an answer', Buffer.from([0, 0, 0, 2, 0, 0])],
    ['an empty answer', frame(0)],
    ['a negative length', frame(-1)],
    ['an endless answer', Buffer.concat([frame(0x7f_ff_ff_ff), Buffer.alloc(1 << 16)])],
    ['a page', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('is an error of the ledger, and nothing that ends the process: %s', async (_, bytes) => {
    const port = await answering(bytes);
    await expect(openLedger(`kafka://127.0.0.1:${port}/led?patience=1`)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

it('lengths are found however their bytes are cut into pieces', () => {
  const lengths = fc.array(fc.integer({ min: 4, max: 300 }), { minLength: 1, maxLength: 6 });
  const cuts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 });
  fc.assert(
    fc.property(lengths, cuts, fc.integer({ min: 0, max: 3 }), (good, sizes, bad) => {
      const whole = Buffer.concat([...good.flatMap((length) => [frame(length), Buffer.alloc(length)]), frame(bad)]);
      const frames = new Frames();
      let found: number | null = null;
      for (let at = 0, i = 0; at < whole.length; i++) {
        expect(found).toBeNull();
        const size = sizes[i % sizes.length] as number;
        found = frames.firstBad(whole.subarray(at, at + size));
        at += size;
      }
      expect(found).toBe(bad);
    }),
  );
});

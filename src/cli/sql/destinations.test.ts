// A slow reader, and the query that does not wait for it.
import { describe, expect, it } from 'vitest';
import type { Sink } from '../../base/sink.ts';
import { PipeClosed } from '../../base/sink.ts';
import { Unhurried } from './destinations.ts';

/** A sink that accepts nothing until `goOn` is called. */
function slow(): { readonly sink: Sink; readonly taken: () => string; goOn(): void; goAway(): void } {
  const texts: string[] = [];
  let [goOn, goAway] = [(): void => undefined, (): void => undefined];
  const free = new Promise<void>((resolve, reject) => {
    goOn = resolve;
    goAway = () => reject(new PipeClosed());
  });
  const write = async (piece: string | Uint8Array): Promise<void> => {
    await free;
    texts.push(typeof piece === 'string' ? piece : Buffer.from(piece).toString());
  };
  return { sink: { isTTY: false, columns: 80, write }, taken: () => texts.join(''), goOn, goAway };
}

describe('a result buffered for a slow reader', () => {
  it('accepts the whole result at once, and delivers it in order', async () => {
    const reader = slow();
    const out = new Unhurried(reader.sink, 64);
    const pieces = Array.from({ length: 1000 }, (_, i) => `row ${i} ü\n`);
    for (const piece of pieces) await out.sink.write(piece);
    await out.sink.write(new Uint8Array([101, 110, 100]));
    expect(reader.taken()).toBe('');
    const ended = out.end();
    reader.goOn();
    await ended;
    expect(reader.taken()).toBe(`${pieces.join('')}end`);
  });

  it('fails once the reader has closed the pipe', async () => {
    const reader = slow();
    const out = new Unhurried(reader.sink, 64);
    await out.sink.write('first');
    await out.sink.write('second');
    reader.goAway();
    await expect(out.end()).rejects.toBeInstanceOf(PipeClosed);
    await expect(out.sink.write('third')).rejects.toBeInstanceOf(PipeClosed);
  });

  it('reaches a fast reader', async () => {
    const reader = slow();
    reader.goOn();
    const out = new Unhurried(reader.sink, 64);
    await out.sink.write('first');
    await out.end();
    expect(reader.taken()).toBe('first');
  });
});

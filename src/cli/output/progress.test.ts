import { describe, expect, it } from 'vitest';
import type { Sink } from '../../base/sink.ts';
import { createContext } from '../context.ts';
import type { Io } from '../io.ts';
import { Progress } from './progress.ts';

/** A progress with a simulated clock, and the texts that it wrote. */
function progressOn({ isTTY, quiet = false }: { isTTY: boolean; quiet?: boolean }) {
  let now = 0;
  const written: string[] = [];
  const sink: Sink = {
    isTTY,
    columns: 60,
    write: async (text) => {
      written.push(String(text));
    },
  };
  const io = { stdout: sink, stderr: sink, env: {}, cwd: '/', signal: new AbortController().signal } as unknown as Io;
  const context = createContext(io, { json: false, quiet }, async () => 0);
  const progress = new Progress(context, 'events', () => now);
  const at = async (seconds: number, done: number): Promise<void> => {
    now = seconds * 1000;
    await progress.update({ done, bytes: done * 1024, totalBytes: 10_240_000 });
  };
  return { progress, at, written };
}

describe('progress', () => {
  it('on a terminal is one line, overwritten and finally erased', async () => {
    const { progress, at, written } = progressOn({ isTTY: true });
    await at(0.05, 10);
    await at(1, 1000);
    await at(1.05, 1050);
    await at(2, 2500);
    await progress.end();
    expect(written).toEqual([
      '\r1,000 events, 1,000/s, 10 % of 9.77 MiB, about 9.0 s left\u001b[K',
      '\r2,500 events, 1,250/s, 25 % of 9.77 MiB, about 6.0 s left\u001b[K',
      '\r\u001b[K',
    ]);
  });

  it('outside a terminal is a plain line every ten seconds', async () => {
    const { progress, at, written } = progressOn({ isTTY: false });
    for (let second = 1; second <= 25; second++) await at(second, second * 100);
    await progress.end();
    expect(written).toEqual([
      '1,000 events, 100/s, 10 % of 9.77 MiB, about 1 min 30 s left\n',
      '2,000 events, 100/s, 20 % of 9.77 MiB, about 1 min 20 s left\n',
    ]);
  });

  it('of slow work uses the singular, and omits a rate below one per second', async () => {
    const { at, written } = progressOn({ isTTY: true });
    await at(10, 1);
    expect(written[0]).toMatch(/^\r1 event, 0 % of 9\.77 MiB/);
  });

  it('is silent with --quiet', async () => {
    const { progress, at, written } = progressOn({ isTTY: true, quiet: true });
    await at(100, 5);
    await progress.end();
    expect(written).toEqual([]);
  });
});

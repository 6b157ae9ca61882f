// Waiting for events of others: triggered by them, by a timeout, and by an abort, and by nothing else.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open.ts';
import { type TinyPlace, tinyPlace } from '../testing/tiny.ts';
import { StreamSignal } from './stream-signal.ts';

const [run, other] = ['tiny00000000', 'else00000000'];
let at: TinyPlace;
const stopping = (): AbortController => new AbortController();

beforeEach(async () => {
  at = await tinyPlace();
  onTestFinished(() => at.close());
});

async function claimed(ledger: Ledger, of: string): Promise<void> {
  const envelope = {
    id: crypto.randomUUID(),
    type: 'RunClaimed',
    version: 1,
    actor: 'producer/run',
    stage: null,
    causes: [],
  };
  const data = { fencingToken: 1, holder: 'ada:1:00000000', leaseSeconds: 60 };
  const event = { ...envelope, run: of, at: new Date().toISOString(), data };
  await ledger.append(`work-${of}`, [event], { expect: 'any' });
}

async function signalFor(signal = stopping().signal): Promise<StreamSignal> {
  const streamSignal = await StreamSignal.open(at.ledger, [`work-${run}`], signal);
  onTestFinished(() => streamSignal.close());
  return streamSignal;
}

/** Whether it is triggered within this time. */
async function firesWithin(streamSignal: StreamSignal, milliseconds: number): Promise<boolean> {
  const after = performance.now() + milliseconds;
  await streamSignal.wait(milliseconds);
  return performance.now() < after - 1;
}

describe('a stream signal', () => {
  it('is triggered by an event of another process', async () => {
    const streamSignal = await signalFor();
    const another = await openLedger(at.ledger.url);
    await claimed(another, run);
    await streamSignal.wait(null);
    await another.close();
  });

  it('is triggered once for events from before the wait', async () => {
    const streamSignal = await signalFor();
    await claimed(at.ledger, run);
    await streamSignal.wait(null);
    expect(await firesWithin(streamSignal, 100)).toBe(false);
  });

  it('is not triggered by old events, or by events in other streams', async () => {
    await claimed(at.ledger, run);
    const streamSignal = await signalFor();
    await claimed(at.ledger, other);
    expect(await firesWithin(streamSignal, 100)).toBe(false);
  });

  it('is triggered by an abort', async () => {
    const end = stopping();
    const streamSignal = await signalFor(end.signal);
    const heard = streamSignal.wait(null);
    end.abort();
    await heard;
  });

  it('throws if the store fails', async () => {
    const gone = (): Promise<never> => Promise.reject(new Error('the store is gone'));
    const broken = new Proxy(at.ledger, {
      get: (target, name: keyof Ledger) => {
        const member = target[name];
        if (name === 'subscribe') return () => ({ [Symbol.asyncIterator]: () => ({ next: gone }) });
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const streamSignal = await StreamSignal.open(broken, [`work-${run}`], stopping().signal);
    await expect(streamSignal.wait(null)).rejects.toThrow('the store is gone');
    streamSignal.close();
  });
});

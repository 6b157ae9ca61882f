// Waiting for what others write: woken by it, by time, and by whoever wants an end of it, and by nothing else.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open.ts';
import { type TinyPlace, tinyPlace } from '../testing/tiny.ts';
import { Bell } from './bell.ts';

const [run, other] = ['tiny00000000', 'else00000000'];
let at: TinyPlace;
const stopping = (): AbortController => new AbortController();

beforeEach(async () => {
  at = await tinyPlace();
  onTestFinished(() => at.close());
});

async function claimed(ledger: Ledger, of: string): Promise<void> {
  const told = {
    id: crypto.randomUUID(),
    type: 'RunClaimed',
    version: 1,
    actor: 'producer/run',
    stage: null,
    causes: [],
  };
  const data = { fencingToken: 1, holder: 'ada:1:00000000', leaseSeconds: 60 };
  const event = { ...told, run: of, at: new Date().toISOString(), data };
  await ledger.append(`work-${of}`, [event], { expect: 'any' });
}

async function bellOn(signal = stopping().signal): Promise<Bell> {
  const bell = await Bell.on(at.ledger, [`work-${run}`], signal);
  onTestFinished(() => bell.close());
  return bell;
}

/** Whether it rings before so long has passed. */
async function ringsWithin(bell: Bell, milliseconds: number): Promise<boolean> {
  const after = performance.now() + milliseconds;
  await bell.heard(milliseconds);
  return performance.now() < after - 1;
}

describe('a bell', () => {
  it('rings for what another writes', async () => {
    const bell = await bellOn();
    const another = await openLedger(at.ledger.url);
    await claimed(another, run);
    await bell.heard(null);
    await another.close();
  });

  it('rings once for what was written before it was listened to', async () => {
    const bell = await bellOn();
    await claimed(at.ledger, run);
    await bell.heard(null);
    expect(await ringsWithin(bell, 100)).toBe(false);
  });

  it('does not ring for what was there, or for what is written elsewhere', async () => {
    await claimed(at.ledger, run);
    const bell = await bellOn();
    await claimed(at.ledger, other);
    expect(await ringsWithin(bell, 100)).toBe(false);
  });

  it('rings when somebody wants an end of it', async () => {
    const end = stopping();
    const bell = await bellOn(end.signal);
    const heard = bell.heard(null);
    end.abort();
    await heard;
  });

  it('tells of a store that gave up', async () => {
    const gone = (): Promise<never> => Promise.reject(new Error('the store is gone'));
    const broken = new Proxy(at.ledger, {
      get: (target, name: keyof Ledger) => {
        const member = target[name];
        if (name === 'subscribe') return () => ({ [Symbol.asyncIterator]: () => ({ next: gone }) });
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const bell = await Bell.on(broken, [`work-${run}`], stopping().signal);
    await expect(bell.heard(null)).rejects.toThrow('the store is gone');
    bell.close();
  });
});

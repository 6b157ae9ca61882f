import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Gate, type Passed } from './gate.ts';
import { FakeClock } from './testing/fake-clock.ts';

const never = new AbortController().signal;
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
};

/** A clock whose pauses last until the test advances it. */
class SlowClock extends FakeClock {
  override after(ms: number, ring: () => void): () => void {
    const begun = this.now();
    let isOff = false;
    const callOff = super.after(ms + 1_000_000, () => {});
    this.#due.push({ at: begun + ms, ring: () => isOff || ring() });
    return () => {
      isOff = true;
      callOff();
    };
  }
  readonly #due: { at: number; ring: () => void }[] = [];
  pass(ms: number): void {
    this.advance(ms);
    for (const alarm of this.#due.filter(({ at }) => at <= this.now())) {
      this.#due.splice(this.#due.indexOf(alarm), 1);
      alarm.ring();
    }
  }
}

describe('the gate', () => {
  it('admits a limited number at a time, in order', async () => {
    const gate = new Gate(2, null, new FakeClock());
    const entered: number[] = [];
    const passed: Passed[] = [];
    for (const i of [0, 1, 2, 3]) {
      void gate.enter(1, never).then((pass) => {
        entered.push(i);
        passed.push(pass);
      });
    }
    await turns();
    expect(entered).toEqual([0, 1]);
    passed.pop()?.leave();
    await turns();
    expect(entered).toEqual([0, 1, 2]);
  });

  it('gives the place of an aborted question to the next one', async () => {
    const gate = new Gate(1, null, new FakeClock());
    const first = await gate.enter(1, never);
    const stop = new AbortController();
    const second = gate.enter(1, stop.signal);
    const third = gate.enter(1, never);
    stop.abort(new Error('stopped'));
    await expect(second).rejects.toThrow('stopped');
    first.leave();
    (await third).leave();
    await expect(gate.enter(1, stop.signal)).rejects.toThrow('stopped');
  });

  it('rejects waiting questions, and admits later ones', async () => {
    const gate = new Gate(1, null, new FakeClock());
    const first = await gate.enter(1, never);
    const waiting = [gate.enter(1, never), gate.enter(1, never)];
    gate.rejectWaiting(new Error('no use'));
    for (const waited of waiting) await expect(waited).rejects.toThrow('no use');
    const later = gate.enter(1, never);
    first.leave();
    (await later).leave();
  });

  it('admits nothing while it is on hold', async () => {
    const clock = new SlowClock();
    const gate = new Gate(8, null, clock);
    gate.hold(10_000);
    gate.hold(3000);
    let isIn = false;
    void gate.enter(1, never).then(() => {
      isIn = true;
    });
    clock.pass(9999);
    await turns();
    expect(isIn).toBe(false);
    clock.pass(1);
    await turns();
    expect(isIn).toBe(true);
  });

  it('counts the tokens that an answer used instead of its reservation', async () => {
    const clock = new SlowClock();
    const gate = new Gate(8, 100, clock);
    (await gate.enter(90, never)).leave(20);
    (await gate.enter(80, never)).leave();
    let isIn = false;
    void gate.enter(1, never).then(() => {
      isIn = true;
    });
    await turns();
    expect(isIn).toBe(false);
    clock.pass(60_000);
    await turns();
    expect(isIn).toBe(true);
  });

  it('admits a question above the limit per minute alone', async () => {
    const clock = new FakeClock();
    const gate = new Gate(8, 100, clock);
    (await gate.enter(1000, never)).leave();
    await gate.enter(1000, never);
    expect(clock.pauses).toEqual([60_000]);
  });

  it('never exceeds the tokens per minute, and admits everything in the end', async () => {
    const wanted = fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(wanted, fc.integer({ min: 1, max: 5 }), async (wanted, width) => {
        const clock = new FakeClock();
        const gate = new Gate(width, 100, clock);
        const entered: { at: number; tokens: number }[] = [];
        await Promise.all(
          wanted.map(async (tokens) => {
            const passed = await gate.enter(tokens, never);
            entered.push({ at: clock.now(), tokens });
            await new Promise(setImmediate);
            passed.leave();
          }),
        );
        expect(entered.map(({ tokens }) => tokens)).toEqual(wanted);
        for (const { at } of entered) {
          const within = entered.filter((other) => other.at > at - 60_000 && other.at <= at);
          expect(within.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(100);
        }
      }),
      { numRuns: 30 },
    );
  });
});

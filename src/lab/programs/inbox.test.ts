import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Inbox } from './lines.ts';

/** A valve that knows whether it is open. */
function valve() {
  const state = { isOpen: true, turns: 0 };
  const turn = (isOpen: boolean) => () => {
    state.isOpen = isOpen;
    state.turns += 1;
  };
  return { state, pause: turn(false), resume: turn(true) };
}

describe('an inbox', () => {
  it('returns items in order, whenever they are read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 200 }), async (steps) => {
        const inbox = new Inbox<number, string>(valve());
        const taken: Promise<unknown>[] = [];
        let put = 0;
        for (const puts of steps) {
          if (puts) inbox.put(put++, 1);
          else if (taken.length < put) taken.push(inbox.next().then(({ value }) => value));
        }
        inbox.finish('done');
        expect(await Promise.all(taken)).toEqual(Array.from({ length: taken.length }, (_, i) => i));
        for (let i = taken.length; i < put; i++) expect(await inbox.next()).toEqual({ done: false, value: i });
        expect(await inbox.next()).toEqual({ done: true, value: 'done' });
      }),
    );
  });

  it.each([
    ['items', 1, 512],
    ['bytes', 2 ** 20, 4],
  ])('pauses the program at the maximum number of %s, and resumes it at half', async (_, bytes, most) => {
    const door = valve();
    const inbox = new Inbox<number, void>(door);
    for (let i = 0; i < most - 1; i++) inbox.put(i, bytes);
    expect(door.state.isOpen).toBe(true);
    inbox.put(most, bytes);
    expect(door.state.isOpen).toBe(false);
    for (let i = 0; i < most / 2; i++) await inbox.next();
    expect(door.state.isOpen).toBe(false);
    await inbox.next();
    expect(door.state).toEqual({ isOpen: true, turns: 2 });
  });

  it('returns buffered items before the error, unless it is aborted', async () => {
    const ended = new Error('ended');
    const [patient, hasty] = [new Inbox<number, void>(valve()), new Inbox<number, void>(valve())];
    for (const inbox of [patient, hasty]) inbox.put(1, 1);
    patient.fail(ended);
    hasty.abort(ended);
    expect(await patient.next()).toEqual({ done: false, value: 1 });
    await expect(patient.next()).rejects.toBe(ended);
    await expect(hasty.next()).rejects.toBe(ended);
  });
});

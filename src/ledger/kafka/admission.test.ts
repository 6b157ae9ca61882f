import { describe, expect, it } from 'vitest';
import { after, newStream, type Refusal, refusalOf, type StreamState } from './admission.ts';
import type { Placed, Writer } from './wire.ts';

const about = { id: '0'.repeat(32), type: 'RunAnnotated', digest: 'new' };

function chained(revision: number, previous: string | null): Placed {
  return { ...about, stream: 'notes-a', revision, previous, writer: null };
}

function of(revision: number, epoch: number, session: string, first: number): Placed {
  const writer: Writer = { epoch, session, first };
  return { ...about, stream: 'evidence-a-1-0-0', revision, previous: null, writer };
}

describe('in a stream with a chain, an event counts', () => {
  const state: StreamState = { next: 3, last: 'last', writer: null };

  it.each<[string, Placed, Refusal | null]>([
    ['where it follows the last', chained(3, 'last'), null],
    ['not where it follows another', chained(3, 'other'), 'unchained'],
    ['not where it follows none', chained(3, null), 'unchained'],
    ['not where its place is taken', chained(2, 'last'), 'late'],
    ['not where one before it is missing', chained(4, 'last'), 'gap'],
  ])('%s', (_, placed, why) => {
    expect(refusalOf(placed, state)).toBe(why);
  });

  it('as the first where it follows none', () => {
    expect(refusalOf(chained(0, null), newStream)).toBeNull();
    expect(refusalOf(chained(0, 'some'), newStream)).toBe('unchained');
  });
});

describe('in a stream without a chain, an event counts', () => {
  const state: StreamState = { next: 3, last: 'last', writer: { epoch: 2, session: 'holds' } };

  it.each<[string, Placed, Refusal | null]>([
    ['of whoever holds it', of(3, 2, 'holds', 1), null],
    ['of a later epoch with its first', of(3, 3, 'takes', 3), null],
    ['not of a later epoch whose first did not', of(3, 3, 'takes', 2), 'fenced'],
    ['not of another of the same epoch', of(3, 2, 'second', 3), 'fenced'],
    ['not of an earlier epoch', of(3, 1, 'zombie', 3), 'fenced'],
    ['not where its place is taken', of(2, 2, 'holds', 1), 'late'],
    ['not where one before it is missing', of(4, 3, 'takes', 4), 'gap'],
  ])('%s', (_, placed, why) => {
    expect(refusalOf(placed, state)).toBe(why);
  });

  it('of whoever begins it', () => {
    expect(refusalOf(of(0, 1, 'begins', 0), newStream)).toBeNull();
  });

  it('of its new holder alone, from then on', () => {
    const taken = after(of(3, 3, 'takes', 3));
    expect(taken).toMatchObject({ next: 4, last: 'new' });
    expect(refusalOf(of(4, 3, 'takes', 3), taken)).toBeNull();
    expect(refusalOf(of(4, 2, 'holds', 1), taken)).toBe('fenced');
  });
});

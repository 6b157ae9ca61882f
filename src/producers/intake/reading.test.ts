import { describe, expect, it } from 'vitest';
import { evidenceStream, notesStream, rollout } from '../../ledger/contract/samples.ts';
import { BadPiece } from './faults.ts';
import { textOf } from './pieces.ts';
import { type Defaults, readPiece } from './reading.ts';
import type { Incoming } from './texts.ts';

const limit = 100_000;
const now = '2026-05-06T07:08:09.000Z';
const defaults: Defaults = { stream: null, isOnlyStream: false, now: () => now };
const sent = { ...rollout(1), stream: evidenceStream };

function read(input: unknown, how: Partial<Defaults> = {}, isEnded = true): Incoming {
  const text = typeof input === 'string' || Buffer.isBuffer(input) ? input : JSON.stringify(input);
  const bytes = Buffer.from(text as string);
  return readPiece({ line: 1, bytes, size: bytes.length, isTooLong: false, isEnded }, limit, { ...defaults, ...how });
}

function fault(
  input: unknown,
  how?: Partial<Defaults>,
  isEnded?: boolean,
): { field: string; found: string; allowed: string } {
  try {
    read(input, how, isEnded);
  } catch (error) {
    if (error instanceof BadPiece) return error.facts as { field: string; found: string; allowed: string };
    throw error;
  }
  throw new Error('it was taken');
}

describe('the event of a piece', () => {
  it('is unchanged', () => {
    expect(read(sent)).toEqual({ stream: evidenceStream, event: rollout(1) });
  });

  it('has defaults for omitted fields', () => {
    const { id, type, actor, data } = sent;
    expect(read({ id: id.toUpperCase(), type, actor, data, stream: evidenceStream }).event).toEqual({
      ...rollout(1),
      at: now,
    });
    expect(read({ id, type: 'RunAnnotated', actor, data, stream: notesStream }).event).toMatchObject({
      run: 'c0ntractc0nt',
      stage: null,
      version: 1,
      causes: [],
    });
    expect(read({ id, type: 'ModelAnswered', stream: `answer-${'0'.repeat(64)}` }).event.run).toBeNull();
    expect(read({ id, type: 'AblationStarted', stream: 'ablation-abc' }).event.run).toBe('abc');
  });

  it('goes to the stream it names, or to the default', () => {
    const { stream: _, ...nowhere } = sent;
    expect(read(nowhere, { stream: evidenceStream }).stream).toBe(evidenceStream);
    expect(read(sent, { stream: notesStream }).stream).toBe(evidenceStream);
    expect(fault(nowhere)).toMatchObject({ field: 'stream', found: 'nothing' });
    expect(fault(sent, { stream: notesStream, isOnlyStream: true })).toMatchObject({ field: 'stream' });
  });
});

describe('a piece without a valid event', () => {
  it.each([
    ['a list', '[1]'],
    ['a number', '5'],
    ['null', 'null'],
    ['a text', '"x"'],
  ])('%s', (_, text) => {
    expect(fault(text).allowed).toContain('a JSON object');
  });

  it('has an unknown field, with the most similar known one', () => {
    expect(fault({ ...sent, acter: 'x' })).toEqual({
      field: 'acter',
      found: 'the unknown field "acter"',
      allowed: '"actor", perhaps',
    });
    expect(fault({ ...sent, zzz: 1 }).allowed).toMatch(/id, stream, type/);
  });

  it('is not JSON, by column', () => {
    expect(fault('{"id": NaN}')).toMatchObject({ field: 'column 8' });
  });

  it('is incomplete at the end of the input', () => {
    expect(fault('{"id": "abc', {}, false).found).toBe('the end of the input in the middle of an event');
  });

  it('has a number that JSON.parse would round, with its path', () => {
    const text = JSON.stringify({ ...sent, data: { list: [{ seed: 0 }] } }).replace(':0}', ':12345678901234567890}');
    expect(fault(text)).toMatchObject({
      field: 'data.list[0].seed',
      found: expect.stringMatching(/^12345678901234567890/),
    });
  });

  it('is nested too deeply, even if a number in it would be rounded', () => {
    const deep = `${'['.repeat(100_000)}12345678901234567890${']'.repeat(100_000)}`;
    const text = JSON.stringify({ ...sent, data: { list: 0 } }).replace(':0}', `:${deep}}`);
    expect(fault(text).found).toBe('nesting deeper than 512 levels');
  });

  it('does not include digits within a text or exact doubles', () => {
    expect(read({ ...sent, data: { says: 'x,1234567890123456789,', n: 4503599627370496 } })).toBeDefined();
  });

  it('has a repeated key, of which JSON.parse would keep the last, with its path and place', () => {
    const text = JSON.stringify(sent);
    expect(fault(text.replace('"data":{', '"data":{"outcome":"x",'))).toEqual({
      field: 'data.outcome',
      found: expect.stringMatching(/^the key "outcome" a second time, at column \d+$/),
      allowed: 'each key once in an object',
    });
    expect(fault(text.replace('{', '{\n"\\u0069d": 1,\n'))).toMatchObject({
      field: 'id',
      found: 'the key "id" a second time, at line 3, column 1',
    });
    const cloud = { specversion: '1.0', id: sent.id, type: 'x', source: 'x', subject: notesStream };
    expect(fault({ ...cloud, causes: '[{"event":"x","event":"y"}]' }).field).toBe('causes[0].event');
  });

  it('has bytes that are not text, by byte', () => {
    const bytes = Buffer.concat([Buffer.from('{"id":"é\ufffd'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(fault(bytes).found).toBe('bytes that are not text: 0xff at byte 13');
    expect(fault(Buffer.from('{}', 'utf16le')).found).toBe('UTF-16');
  });

  it('is too long', () => {
    const piece = { line: 1, bytes: Buffer.from('{'), size: 1e8, isTooLong: true, isEnded: true };
    expect(() => readPiece(piece, limit, defaults)).toThrow('found 100000000 bytes, allowed: at most 100000 bytes');
  });
});

describe('a recorded event that is sent again', () => {
  const recorded = {
    ...sent,
    revision: 0,
    previous: null,
    recordedAt: now,
    cursor: 'x@1',
    digest: 'ba1fe7d8d1bd9ee2d4a49d1a0c3a4d8bbbf0cd6f4b8aae8d66ad5d44c3d0bd51',
  };

  it('must match its digest', () => {
    const { allowed } = fault(recorded);
    const digest = allowed.slice(0, 64);
    expect(read({ ...recorded, digest }).event).toEqual(rollout(1));
    expect(fault({ ...recorded, digest, actor: 'human/eve' })).toMatchObject({ field: 'digest' });
  });

  it('has the place that its digest covers', () => {
    const { revision: _, ...noPlace } = recorded;
    expect(fault(noPlace)).toMatchObject({ field: 'digest', allowed: 'all three, or none' });
  });
});

describe('the recorded text of a refused piece', () => {
  const piece = (bytes: Buffer, isTooLong = false) => ({
    line: 1,
    bytes,
    size: bytes.length,
    isTooLong,
    isEnded: true,
  });

  it('is whole for text, and only the start for binary data', () => {
    expect(textOf(piece(Buffer.from('{"a"')))).toEqual({ text: '{"a"', isWhole: true });
    const rubbish = textOf(piece(Buffer.alloc(10_000, 0xff)));
    expect([rubbish.text.length, rubbish.isWhole]).toEqual([4096, false]);
    expect(textOf(piece(Buffer.from('x'), true)).isWhole).toBe(false);
  });
});

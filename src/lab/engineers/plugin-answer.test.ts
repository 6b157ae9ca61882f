import { describe, expect, it } from 'vitest';
import type { Answer, NoProposal, Proposal } from './engineer.ts';
import { readAnswer } from './plugin-answer.ts';
import { askedOf, coinsNow } from './testing/questions.ts';

const asked = askedOf();
const nothingMore = { reasons: [], kept: null, predictions: null, rationale: null };

/** `given`: the proposal, whatever it is. */
const read = (given: unknown): Answer => readAnswer({ proposal: given as Proposal }, asked);

function rejectionOf(answer: Answer): NoProposal {
  return 'rejected' in answer ? answer.rejected : expect.fail('it was accepted');
}

describe('the answer of an engineer in this process', () => {
  it('may omit everything but the configuration', () => {
    expect(read({ configuration: coinsNow })).toEqual({ proposal: { configuration: coinsNow, ...nothingMore } });
  });

  it('keeps usage, cost and measurements, and is rejected if they are invalid', () => {
    const spent = { usage: { input: 9 }, cost: { currency: 'USD', total: 0.5 }, measured: { seconds: 2 } };
    expect(read({ configuration: coinsNow, ...spent })).toEqual({
      proposal: { configuration: coinsNow, ...nothingMore, ...spent },
    });
    const { reason, issues } = rejectionOf(read({ configuration: coinsNow, usage: { input: 'many' } }));
    expect([reason, ...issues.map(({ field, found }) => `${field}: ${found}`)]).toEqual([
      'invalid',
      'usage.input: "many" (a string)',
    ]);
  });

  it('that is a rejection is returned unchanged', () => {
    const rejected: Answer = { rejected: { reason: 'refused', issues: [], raw: { text: 'no' } } };
    expect(readAnswer(rejected, asked)).toBe(rejected);
  });

  it.each([undefined, null, 7, {}])('is rejected if it is %j', (answer) => {
    expect(rejectionOf(readAnswer(answer as never, asked)).issues).toMatchObject([{ field: 'answer' }]);
  });

  it('is quoted in its rejection as JSON, or else as inspected by Node', () => {
    expect(rejectionOf(read({ configuration: 7 })).raw).toEqual({ text: '{"configuration":7}' });
    expect(rejectionOf(read({ configuration: 7n })).raw).toEqual({ text: '{ configuration: 7n }' });
    const around: { configuration?: unknown } = {};
    around.configuration = { around };
    expect(rejectionOf(read(around))).toMatchObject({ raw: { text: expect.stringContaining('[Circular *1]') } });
    expect(rejectionOf(read(undefined)).raw).toBeNull();
  });

  it('is rejected with the field of a value that JSON cannot hold', () => {
    const firstOf = (given: object): string | undefined => rejectionOf(read(given)).issues[0]?.field;
    const throwing = { ...coinsNow, toJSON: () => expect.fail('not for JSON') };
    expect(firstOf({ configuration: { ...coinsNow, kinds: 4n } })).toBe('configuration.kinds');
    expect(firstOf({ configuration: throwing })).toBe('configuration.toJSON');
    expect(firstOf({ configuration: coinsNow, predictions: [{ family: 'small', value: 1n }] })).toBe(
      'predictions[0].value',
    );
  });
});

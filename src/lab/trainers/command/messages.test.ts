import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidMessage, messageIn } from './messages.ts';

function ofFamily(family: string | null, sampleGroups: number, withVariance: number, share: number): string {
  return JSON.stringify({ family, sampleGroups, withVariance, share });
}

describe('a line', () => {
  it('with a step, a save or a completion is a message', () => {
    expect(messageIn('{"step": 3, "spent": {"agent-steps": 9}, "values": {"reward": 0.5}}')).toEqual({
      kind: 'step',
      point: { step: 3, spent: { 'agent-steps': 9 }, values: { reward: 0.5 } },
    });
    expect(messageIn(' {"saved": {"file": "a.ckpt"}}')).toEqual({ kind: 'saved', snapshot: { file: 'a.ckpt' } });
    expect(messageIn('{"done": {"checkpoint": {"reference": "s3://a/b", "bytes": 7}}}')).toEqual({
      kind: 'done',
      done: { checkpoint: { reference: 's3://a/b', bytes: 7 } },
    });
    expect(messageIn('{"done": {"checkpoint": null, "results": {"reward": 1}}}')).toEqual({
      kind: 'done',
      done: { checkpoint: null, results: { reward: 1 } },
    });
  });

  it('with a rollout is a message with the fields of its event', () => {
    const rollout = {
      task: { id: 'train-17' },
      sample: 0,
      trainingStep: 3,
      outcome: 'valid',
      success: true,
      reward: 1.2,
    };
    const line = JSON.stringify({ rollout });
    expect(messageIn(line)).toEqual({ kind: 'rollout', rollout, bytes: line.length });
    expect(() => messageIn('{"rollout": {"success": true}}')).toThrow('outcome');
    expect(() => messageIn('{"rollout": {"outcome": "valid", "split": "test"}}')).toThrow('split');
  });

  it('of any other kind goes to the log', () => {
    for (const line of ['epoch 3', '{"loss": 3}', "{'step': 3}", '[{"step": 3}]', '"step"', '3', '{"step": 3', '{}'])
      expect(messageIn(line)).toBe(null);
    fc.assert(
      fc.property(fc.string(), fc.string(), (line, begun) =>
        [line, `{${begun}`].every((one) => messageIn(one) === null),
      ),
    );
  });

  it('may have values that are not numbers, kept with the reason', () => {
    const line = '{"step": 1, "values": {"a": NaN, "b": -Infinity, "c": Infinity, "so \\"NaN\\" it is": 1}}';
    expect(messageIn(line)).toEqual({
      kind: 'step',
      point: {
        step: 1,
        values: {
          a: { value: null, reason: 'NaN' },
          b: { value: null, reason: '-Infinity' },
          c: { value: null, reason: 'Infinity' },
          'so "NaN" it is': 1,
        },
      },
    });
  });

  it.each([
    `{"step": 1, "values": {"valid": 1, "valid/8": 0, "reward": 45, "valid steps": 7, "signal": NaN}}`,
    `{"done": {"learningSignal": [${ofFamily('a', 3, 1, 0.33)}, ${ofFamily('b', 0, 0, 0)}, ${ofFamily(null, 4, 2, 0.5)}]}}`,
    '{"done": {"sampled": [{"family": "a", "tasks": 1, "share": 0.334}, {"family": "b", "tasks": 2, "share": 0.667}]}}',
  ])('may have rounded figures, and any under names of its own: %s', (line) => {
    expect(messageIn(line)).not.toBe(null);
  });

  it.each<[string, string]>([
    ['{"step": 1}', 'values: found nothing, allowed: an object'],
    ['{"step": -1, "values": {}}', 'step: found -1 (a number), allowed: a whole number from 0'],
    [
      '{"step": 1, "values": {"loss": "0.5"}}',
      'values.loss: found "0.5" (a string), allowed: a number or {value, reason}',
    ],
    ['{"step": 1, "value": {}, "values": {}}', 'value: found an unknown key, allowed: a known one, perhaps "values"'],
    ['{"step": 1, "values": {}, "spent": {"agent-steps": NaN}}', 'spent["agent-steps"]: found NaN, allowed'],
    ['{"step": 1, "values": {}, "spent": {"tokens": -Infinity}}', 'spent.tokens: found -Infinity, allowed'],
    ['{"step": 9007199254740993, "values": {}}', '9007199254740993, which JSON readers may round'],
    ['{"rollout": {"outcome": "a", "answer": [-1152921504606846977]}}', '-1152921504606846977, which JSON readers'],
    ['{"saved": "a.ckpt"}', 'saved: found "a.ckpt" (a string), allowed'],
    ['{"saved": {}}', 'saved: found an object, allowed: {file, digest?, step?} or {reference, digest?, bytes?, step?}'],
    ['{"saved": {"file": "a", "reference": "b"}}', 'saved: found an object, allowed: {file, digest?, step?} or {ref'],
    ['{"done": true}', 'done: found true, allowed: {checkpoint?, spent?, results?, learningSignal?, sampled?}'],
    ['{"done": {"spent": {"agent-steps": -1}}}', 'done.spent["agent-steps"]: found -1 (a number)'],
    ['{"step": 1, "values": {"\\ud800": 1}}', 'lone surrogate'],
    ['{"rollout": {"outcome": "a", "answer": "\\ud800"}}', 'rollout.answer: a text with a lone surrogate'],
    ['{"step": 1, "values": {"__proto__": 1}}', 'the key "__proto__"'],
    ['{"step": 1, "values": {"valid": 45}}', 'values.valid: found 45 (a number), allowed: a share from 0 to 1'],
    ['{"step": 1, "values": {"signal/a b": -0.1}}', 'values["signal/a b"]: found -0.1 (a number), allowed: a share'],
    ['{"done": {"results": {"valid": 1.01}}}', 'done.results.valid: found 1.01 (a number), allowed: a share'],
    [
      `{"done": {"learningSignal": [${ofFamily('a', 5, 9, 1)}]}}`,
      'done.learningSignal[0].withVariance: found 9, allowed: at most 5, its sampleGroups',
    ],
    [
      `{"done": {"learningSignal": [${ofFamily('a', 10, 5, 0.3)}]}}`,
      'done.learningSignal[0].share: found 0.3, allowed: 0.5, withVariance divided by sampleGroups',
    ],
    [
      `{"done": {"learningSignal": [${ofFamily('a', 2, 1, 0.5)}, ${ofFamily('a', 4, 1, 0.25)}]}}`,
      'done.learningSignal[1].family: found "a" again, allowed: each family once',
    ],
    [
      `{"done": {"learningSignal": [${ofFamily(null, 4, 2, 0.5)}, ${ofFamily('a', 3, 1, 0.33)}, ${ofFamily('b', 2, 1, 0.5)}]}}`,
      'done.learningSignal[0].sampleGroups: found 4, allowed: at least 5, the sum of the families',
    ],
    [
      '{"done": {"sampled": [{"family": "a", "tasks": 3, "share": 0.7}, {"family": "b", "tasks": 3, "share": 0.7}]}}',
      'done.sampled: found shares that add up to 1.4, allowed: at most 1 in total',
    ],
    [
      '{"done": {"sampled": [{"family": "a", "tasks": 3, "share": 0.5}, {"family": "a", "tasks": 3, "share": 0.5}]}}',
      'done.sampled[1].family: found "a" again, allowed: each family once',
    ],
  ])('that is an invalid message is refused: %s', (line, says) => {
    expect(() => messageIn(line)).toThrow(InvalidMessage);
    expect(() => messageIn(line)).toThrow(says);
  });
});

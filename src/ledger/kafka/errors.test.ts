// What errors of kafkajs mean.
import { describe, expect, it } from 'vitest';
import { TransientError } from '../remote/errors.ts';
import { meaningOf } from './errors.ts';

describe('an error of kafkajs', () => {
  it.each([
    "Cannot destructure property 'topicMetadata' of '(intermediate value)' as it is null.",
    "Cannot read properties of null (reading 'topicMetadata')",
    "Cannot destructure property 'brokers' of '(intermediate value)' as it is null.",
  ])('is passing if no broker answered: %s', (message) => {
    expect(meaningOf(new TypeError(message), 'x-events')).toBeInstanceOf(TransientError);
  });

  it('stays what it is if it is of another kind', () => {
    for (const error of [new TypeError("Cannot read properties of null (reading 'at')"), new Error("'brokers' null")])
      expect(meaningOf(error, 'x-events')).toBe(error);
  });
});

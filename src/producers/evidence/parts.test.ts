import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { partNamed } from './parts.ts';

it('every evaluation has its own part, whose name is valid in stream names', () => {
  const name = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('agents-3', 'agents_3', 'Agents-3', 'training'));
  fc.assert(
    fc.property(name, name, (one, other) => {
      const stream = streamOf.evidence('a-1', 2, partNamed(one), 3);
      expect(parseStream(stream)).toEqual({
        ...{ category: 'evidence', run: 'a-1', stage: 2, part: partNamed(one), shard: null, attempt: 3 },
      });
      if (one !== other) expect(partNamed(one)).not.toBe(partNamed(other));
    }),
  );
  expect([partNamed('validation'), partNamed('agents-3-of-20')]).toEqual(['validation', 'agents_3_of_20']);
});

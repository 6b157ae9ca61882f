import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from './describe-schema.ts';
import { translate } from './translate.ts';

const schema = z.strictObject({ stages: z.number().optional(), seeds: z.array(z.number()).optional() });

const issuesOf = (value: unknown) =>
  translate(schema.safeParse(value).error?.issues ?? [], value, z.toJSONSchema(schema) as JsonSchema);

describe('the issues of a value', () => {
  it('are all described if there are few', () => {
    expect(issuesOf({ stagse: 3, seeds: ['x'] })).toEqual([
      { field: 'stagse', found: 'an unknown key', allowed: expect.stringContaining('stages') },
      expect.objectContaining({ field: 'seeds[0]', allowed: 'a number' }),
    ]);
  });

  it('are only counted beyond a hundred, unknown keys like other faults', () => {
    const keys = issuesOf(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key${i}`, i])));
    expect(keys).toHaveLength(101);
    expect(keys.at(-1)).toEqual({ field: '', found: '4900 more unknown keys', allowed: 'stages, seeds' });
    const values = issuesOf({ seeds: Array.from({ length: 5000 }, () => 'x') });
    expect(values).toHaveLength(101);
    expect(values.at(-1)).toEqual({ field: '', found: '4900 more faults', allowed: 'none' });
  });
});

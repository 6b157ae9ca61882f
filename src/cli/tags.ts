// Words that runs and notes can be found by.
import { IcecoreError } from '../../schemas/errors.ts';
import { name as nameSchema } from '../../schemas/primitives.ts';

export function checkedTag(tag: string): string {
  if (nameSchema.safeParse(tag).success) return tag;
  throw new IcecoreError('usage', `--tag: found ${JSON.stringify(tag)}, allowed: a word without control characters`, {
    facts: { field: '--tag', found: tag },
  });
}

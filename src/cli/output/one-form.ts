// What is printed is for programs or for people, and not for both at once.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Context } from '../context.ts';

export function requireOneForm({ flags }: Pick<Context, 'flags'>, format: string | undefined): void {
  if (format === undefined || !flags.json) return;
  throw new IcecoreError('usage', `found --json and --format ${format}, allowed: one of them`, {
    facts: { field: '--format', found: format },
    remedy: 'Programs read --json, people --format md.',
  });
}

// What is printed is for programs or for people, and not for both at once.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Context } from '../context.ts';

/** `md`: whether Markdown is asked for. */
export function requireOneForm({ flags }: Pick<Context, 'flags'>, md: true | undefined): void {
  if (md === undefined || !flags.json) return;
  throw new IcecoreError('usage', '--md and --json cannot both be printed', {
    facts: { field: '--md' },
    remedy: 'Programs read --json, people --md.',
  });
}

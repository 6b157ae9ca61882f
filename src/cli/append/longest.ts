// What --texts says: how long a text may be to stand in its event.
import { IcecoreError } from '../../../schemas/errors.ts';
import { longestInline } from '../../producers/intake/texts.ts';

/** Throws a usage error on anything else. */
export function longestOf(texts: string | undefined): number {
  if (texts === undefined) return longestInline.byDefault;
  if (texts === 'blobs') return longestInline.nothing;
  if (texts === 'inline') return longestInline.everything;
  throw new IcecoreError('usage', `--texts: found "${texts}", allowed: blobs, inline`, {
    facts: { field: '--texts', found: texts, allowed: ['blobs', 'inline'] },
    remedy: 'Leave it out to keep texts over 32 KiB as blobs, and shorter ones in their events.',
  });
}

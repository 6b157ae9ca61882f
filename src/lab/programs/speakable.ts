// What a program may say in JSON and no event can hold.
import { canonicalJson, NotCanonical } from '../../../schemas/canonical.ts';

/** What of this kind is in what was said, in words; the text shows at once where there may be any. */
export function unspeakableIn(reply: unknown, text: string): string | null {
  if (/"__proto__"\s*:/.test(text)) return 'the key "__proto__"';
  if (!/\\u[dD][89a-fA-F]/.test(text)) return null;
  try {
    canonicalJson(reply);
    return null;
  } catch (error) {
    if (error instanceof NotCanonical) return error.found;
    throw error;
  }
}

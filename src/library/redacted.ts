// Texts that were redacted, as copies and imports list them.
import type { RedactedTextsResult } from '../../schemas/export-output.ts';
import type { RedactedTexts } from '../ledger/copy/blob-copy.ts';

/** More are only counted. */
const mostInJson = 1000;

export function redactedIn({ erased, erasable, left }: RedactedTexts): RedactedTextsResult {
  return {
    erased: erased.slice(0, mostInJson),
    erasable: erasable.slice(0, mostInJson),
    left: left.slice(0, mostInJson),
  };
}

// Lists of redacted texts in the results of copies and imports.
import type { RedactedTextsResult } from '../../schemas/export-output.ts';
import type { RedactedTexts } from '../ledger/copy/blob-copy.ts';

/** Further ones are only counted. */
const maxInJson = 1000;

export function redactedIn({ erased, erasable, left }: RedactedTexts): RedactedTextsResult {
  return {
    erased: erased.slice(0, maxInJson),
    erasable: erasable.slice(0, maxInJson),
    left: left.slice(0, maxInJson),
  };
}

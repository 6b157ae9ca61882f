// What `icecore doctor` can say of a split ledger: what there is to say of either part, and whether they belong together.
import type { Check } from '../checks.ts';
import { checkOpened } from '../opened-check.ts';
import { type SplitUrl, type StoreUrl, textOf } from '../url.ts';
import { parts } from './parts.ts';

export async function checkSplit(
  url: SplitUrl,
  check: (part: StoreUrl) => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const part of parts) {
    for (const one of await check(url[part])) checks.push({ ...one, name: `${part} ${one.name}` });
  }
  // What keeps a part from being opened is said of that part.
  return checks.some(({ status }) => status === 'failed') ? checks : [await checkOpened(textOf(url)), ...checks];
}

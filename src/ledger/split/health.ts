// What `icecore doctor` can say of a split ledger: what there is to say of either part, and whether they belong together.
import type { Check } from '../checks.ts';
import { checkOpened } from '../open.ts';
import { type SplitUrl, type StoreUrl, textOf } from '../stores.ts';
import { parts } from './parts.ts';

export async function checkSplit(
  url: SplitUrl,
  check: (part: StoreUrl) => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  const looks = parts.map(async (part) => {
    const found = await check(url[part]);
    return found.map((one) => ({ ...one, name: `${part} ${one.name}` }));
  });
  const checks = (await Promise.all(looks)).flat();
  // What keeps a part from being opened is said of that part.
  return checks.some(({ status }) => status === 'failed') ? checks : [await checkOpened(textOf(url)), ...checks];
}

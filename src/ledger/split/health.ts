// What `icecore doctor` can say of a split ledger: what there is to say of either part, and whether they belong together.
import { type Check, failure, ok } from '../checks.ts';
import { LedgerMissing } from '../errors.ts';
import { openLedger } from '../open.ts';
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
  return checks.some(({ status }) => status === 'failed') ? checks : [await checkTogether(url), ...checks];
}

async function checkTogether(url: SplitUrl): Promise<Check> {
  try {
    const ledger = await openLedger(textOf(url), { readOnly: true });
    try {
      const { events } = await ledger.head();
      return ok('ledger', `${ledger.id}, ${events} events in both parts`);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerMissing)) return failure('ledger', error);
    return { name: 'ledger', status: 'warning', found: 'neither part is there yet', remedy: error.remedy };
  }
}

// The checks of `icecore doctor` for a ledger. They change nothing and never throw: a check that cannot be done is a failed
// check.
import { type Check, checksOf, failed, failure, ok, warning } from './checks.ts';
import { EvidenceMissing } from './errors.ts';
import { countedEvents } from './event.ts';
import type { Ledger } from './ledger.ts';
import { openLedger } from './open.ts';
import { parts } from './split/parts.ts';
import { driverOf, type LedgerUrl, parseLedgerUrl, type SplitUrl, textOf } from './stores.ts';

export async function checkLedger(url: string): Promise<readonly Check[]> {
  try {
    return await checkParsed(parseLedgerUrl(url));
  } catch (error) {
    return [failure('ledger', error)];
  }
}

async function checkParsed(url: LedgerUrl): Promise<readonly Check[]> {
  if (url.scheme !== 'split') return await driverOf(url).check(url);
  return await checkSplit(url);
}

/** The checks of both parts, and whether they belong together. */
async function checkSplit(split: SplitUrl): Promise<readonly Check[]> {
  const looks = parts.map(async (part) => {
    const found = await checkParsed(split[part]);
    return found.map((one) => ({ ...one, name: `${part} ${one.name}` }));
  });
  const checks = (await Promise.all(looks)).flat();
  // The checks of that part report why it cannot be opened.
  if (checks.some(({ status }) => status === 'failed')) return checks;
  const url = textOf(split);
  const open = (): Promise<Ledger> => openLedger(url, { readOnly: true });
  const opened = await checksOf(url, open, async (ledger) => [
    ok('ledger', `${ledger.url}: ${ledger.id}, ${countedEvents((await ledger.head()).events)}`),
    ...(await checkReported(ledger)),
  ]);
  return [...opened, ...checks];
}

/** Whether one attempt that run events report begins in the evidence: an emptied store has no other sign of what it had. */
async function checkReported(ledger: Ledger): Promise<readonly Check[]> {
  for await (const [attempt] of ledger.streams('evidence-')) {
    if (attempt === undefined) continue;
    try {
      for await (const _ of ledger.read(attempt.stream, { to: 0 })) break;
    } catch (error) {
      if (!(error instanceof EvidenceMissing)) throw error;
      return [failed('evidence history', `${attempt.stream} is reported and not there`, error.remedy)];
    }
    break;
  }
  return [];
}

/** The tolerated clock difference. */
const toleranceMs = 5_000;
const lastEvents = 100;

/** Whether the clocks of other recorders agree with this machine's, judged by the last events, since events are shown by time. */
export async function checkClock(url: string, now: number = Date.now()): Promise<Check> {
  try {
    const ahead = (await lastRecorded(url)) - now;
    const here = new Date(now).toISOString();
    if (ahead <= toleranceMs) return ok('clock', `${here}, and no event was recorded after that`);
    return warning(
      'clock',
      `${here}, and the last event was recorded ${Math.round(ahead / 1000)} s after that`,
      'Synchronize the clocks of all machines. No event is lost, but some are shown out of order.',
    );
  } catch (error) {
    return failure('clock', error);
  }
}

async function lastRecorded(url: string): Promise<number> {
  const ledger = await openLedger(url, { readOnly: true });
  try {
    let last = Number.NEGATIVE_INFINITY;
    for await (const events of ledger.readAll({ backwards: true, limit: lastEvents })) {
      for (const { recordedMs } of events) last = Math.max(last, recordedMs);
    }
    return last;
  } finally {
    await ledger.close();
  }
}

// Opens both parts of a split ledger. They form one ledger only if both have the same id; they are created in an order that lets
// an interrupted creation be completed.
import { IcecoreError } from '../../../schemas/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import { isAway, LedgerMissing, NotALedger } from '../errors.ts';
import { placeOf } from '../event.ts';
import type { Ledger, OpenOptions, Waiting } from '../ledger.ts';
import { placeNamed, type SplitUrl, type StoreUrl, textOf } from '../stores.ts';
import { failureOf, type Part, Store } from './parts.ts';
import { SplitLedger } from './store.ts';

type OpenStore = (url: StoreUrl, options: OpenOptions) => Promise<Ledger>;

/**
 * Evidence that does not answer delays only callers that need it, since decisions can be read without it. Throws
 * LedgerMissing, PartMissing, NotOneLedger, WholeLedger, SamePlace, PartUnavailable.
 */
export async function openSplit(url: SplitUrl, options: OpenOptions, openStore: OpenStore): Promise<Ledger> {
  if (placeNamed(url.decisions) === placeNamed(url.evidence)) throw samePlace(url);
  const { readOnly = false } = options;
  const mayMake = options.create === true && !readOnly;

  const open = async (part: Part, { onWait, ...rest }: OpenOptions): Promise<Ledger> => {
    const reporting = onWait && { onWait: ({ away }: Waiting) => onWait({ store: part, away }) };
    return await openStore(url[part], { ...rest, ...reporting }).catch((error: unknown) => {
      throw failureOf(part, textOf(url[part]), error);
    });
  };

  /** Null if it is missing. Unfinished remains count as missing for a caller that may create it. */
  const find = async (part: Part, waiting: OpenOptions = options): Promise<Ledger | null> => {
    try {
      return await open(part, { ...waiting, readOnly, create: false });
    } catch (error) {
      if (error instanceof LedgerMissing || (mayMake && error instanceof NotALedger)) return null;
      throw error;
    }
  };

  /** Only a caller that may create evidence waits to find out whether there is some. */
  const findNow = async (): Promise<Ledger | null | 'away'> => {
    if (mayMake) return await find('evidence');
    const impatience = new AbortController();
    let isOpening = true;
    const onWait = (waiting: Waiting): void => {
      if (isOpening) impatience.abort();
      else options.onWait?.(waiting);
    };
    try {
      return await find('evidence', { onWait, signal: impatience.signal });
    } catch (error) {
      if (impatience.signal.aborted || isAway(error)) return 'away';
      throw error;
    } finally {
      isOpening = false;
    }
  };

  const opened: Ledger[] = [];
  const keep = (ledger: Ledger): Ledger => {
    opened.push(ledger);
    return ledger;
  };
  try {
    // Checked first: if there is evidence, missing decisions were lost.
    const found = await findNow();
    if (found !== null && found !== 'away') keep(found);
    const makesDecisions = mayMake && found === null;
    const decisions = makesDecisions
      ? await open('decisions', { ...options, part: 'decisions' })
      : await find('decisions');
    if (decisions === null) throw found === null ? new LedgerMissing(textOf(url)) : partMissing(url, 'decisions');
    keep(decisions);
    await requireOnly('decisions', decisions, 'evidence-');
    if (found === 'away') {
      const later = async (signal: AbortSignal): Promise<Ledger> => {
        const evidence = await find('evidence', { ...options, signal });
        if (evidence === null) throw partMissing(url, 'evidence');
        await requireOne(decisions, evidence).catch(async (error: unknown) => {
          await evidence.close();
          throw error;
        });
        return evidence;
      };
      return new SplitLedger(decisions, new Store('evidence', textOf(url.evidence), later));
    }
    if (found === null) await requireNoSeal(url, decisions);
    if (found === null && !mayMake) throw partMissing(url, 'evidence');
    const made = { ...options, create: true, createAs: decisions.id, part: 'evidence' } as const;
    const evidence = found ?? keep(await open('evidence', made));
    await requireOne(decisions, evidence);
    const ledger = new SplitLedger(decisions, Store.of('evidence', evidence));
    if (!readOnly) await ledger.publishSeals();
    return ledger;
  } catch (error) {
    for (const ledger of opened) await ledger.close();
    throw error;
  }
}

async function requireOne(decisions: Ledger, evidence: Ledger): Promise<void> {
  if (evidence.id !== decisions.id) throw notOneLedger(decisions, evidence);
  // A store whose attempts have to be reported contains nothing else.
  if (evidence.capabilities.attempts === 'open') await requireOnly('evidence', evidence, 'run-');
}

/** The decisions may be old, or may have just been created, possibly by an interrupted process. */
async function requireNoSeal(url: SplitUrl, decisions: Ledger): Promise<void> {
  for await (const [seal] of decisions.readAll({ types: ['EvidenceSealed'], limit: 1 }))
    if (seal !== undefined) throw evidenceElsewhere(url, placeOf(seal));
}

async function requireOnly(part: Part, ledger: Ledger, others: string): Promise<void> {
  for await (const [end] of Store.of(part, ledger).pages((store) => store.streams(others))) {
    if (end !== undefined) throw wholeLedger(ledger.url, part, end.stream);
  }
}

function notOneLedger(decisions: Ledger, evidence: Ledger): IcecoreError {
  const what = `${decisions.url} and ${evidence.url} do not belong together: they are parts of the ledgers ${decisions.id} and ${evidence.id}`;
  const facts = {
    decisions: { url: decisions.url, ledger: decisions.id },
    evidence: { url: evidence.url, ledger: evidence.id },
  };
  const remedy = 'Name the evidence of these decisions, or an empty place.';
  return new IcecoreError('conflict', what, { name: 'NotOneLedger', facts, remedy });
}

function partMissing(url: SplitUrl, part: Part): IcecoreError {
  const isEvidence = part === 'evidence';
  const [missing, there] = [textOf(url[part]), textOf(isEvidence ? url.decisions : url.evidence)];
  const remedy = isEvidence
    ? `If its creation was interrupted, \`icecore init --ledger ${shellWord(textOf(url))}\` creates the rest. If it was lost, restore it from a copy first.`
    : 'Evidence is unusable without its decisions: restore the decisions from a copy, or name another place for the evidence.';
  const what = `the ${part} of the ledger ${isEvidence ? 'is' : 'are'} not at ${missing}, the rest is at ${there}`;
  return new IcecoreError('not-found', what, { name: 'PartMissing', facts: { part, url: missing, there }, remedy });
}

/** Starting new evidence would leave existing decisions without the evidence that they seal. */
function evidenceElsewhere({ decisions, evidence }: SplitUrl, seal: string): IcecoreError {
  const [there, missing] = [textOf(decisions), textOf(evidence)];
  const what = `the evidence of the ledger is not at ${missing}: the decisions at ${there} contain a seal of evidence (${seal})`;
  const facts = { decisions: there, evidence: missing, seal };
  const remedy = 'Name its place. If it was lost, copy a backup to two new places.';
  return new IcecoreError('conflict', what, { name: 'EvidenceElsewhere', facts, remedy });
}

/** A whole ledger cannot be a part of another: readers look for a stream only in the part where it belongs. */
function wholeLedger(url: string, part: Part, stream: string): IcecoreError {
  return new IcecoreError('conflict', `${url} cannot be the ${part} of a ledger: it has ${stream}`, {
    name: 'WholeLedger',
    facts: { url, part, stream },
    remedy: `It is a whole ledger, or the other part of one. To split it: icecore ledger copy ${shellWord(url)} split:DECISIONS+EVIDENCE`,
  });
}

function samePlace(url: SplitUrl): IcecoreError {
  return new IcecoreError('usage', `${textOf(url)} names the same place for both parts`, {
    name: 'SamePlace',
    facts: { url: textOf(url) },
    remedy: 'Name another place for the evidence, or the ledger without split.',
  });
}

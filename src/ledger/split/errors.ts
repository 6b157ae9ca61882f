// The reasons why two ledgers are not the parts of one.
import { IcecoreError } from '../../../schemas/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import { EvidenceMissing } from '../errors.ts';
import { type Cursor, placeOf } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import { type SplitUrl, textOf } from '../stores.ts';
import type { Part } from './parts.ts';
import type { Attempt } from './reports.ts';

export function notOneLedger(decisions: Ledger, evidence: Ledger): IcecoreError {
  return new IcecoreError(
    'conflict',
    `${decisions.url} and ${evidence.url} do not belong together: they are parts of the ledgers ${decisions.id} and ${evidence.id}`,
    {
      name: 'NotOneLedger',
      facts: {
        decisions: { url: decisions.url, ledger: decisions.id },
        evidence: { url: evidence.url, ledger: evidence.id },
      },
      remedy: 'Name the evidence of these decisions, or an empty place.',
    },
  );
}

export function partMissing(url: SplitUrl, part: Part): IcecoreError {
  const [missing, there] = part === 'evidence' ? [url.evidence, url.decisions] : [url.decisions, url.evidence];
  const remedy =
    part === 'evidence'
      ? `If its creation was interrupted, \`icecore init --ledger ${shellWord(textOf(url))}\` creates the rest. If it was lost, restore it from a copy first.`
      : 'Evidence is unusable without its decisions: restore the decisions from a copy, or name another place for the evidence.';
  return new IcecoreError(
    'not-found',
    `the ${part} of the ledger ${part === 'evidence' ? 'is' : 'are'} not at ${textOf(missing)}, the rest is at ${textOf(there)}`,
    {
      name: 'PartMissing',
      facts: { part, url: textOf(missing), there: textOf(there) },
      remedy,
    },
  );
}

/** Starting new evidence would leave existing decisions without the evidence that they seal. */
export function evidenceElsewhere({ decisions, evidence }: SplitUrl, seal: string): IcecoreError {
  const [there, missing] = [textOf(decisions), textOf(evidence)];
  return new IcecoreError(
    'conflict',
    `the evidence of the ledger is not at ${missing}: the decisions at ${there} contain a seal of evidence (${seal})`,
    {
      name: 'EvidenceElsewhere',
      facts: { decisions: there, evidence: missing, seal },
      remedy: 'Name its place. If it was lost, copy a backup to two new places.',
    },
  );
}

/** A whole ledger cannot be a part of another: readers look for a stream only in the part where it belongs. */
export function wholeLedger(url: string, part: Part, stream: string): IcecoreError {
  return new IcecoreError('conflict', `${url} cannot be the ${part} of a ledger: it has ${stream}`, {
    name: 'WholeLedger',
    facts: { url, part, stream },
    remedy: `It is a whole ledger, or the other part of one. To split it: icecore ledger copy ${shellWord(url)} split:DECISIONS+EVIDENCE`,
  });
}

export function samePlace(url: SplitUrl): IcecoreError {
  return new IcecoreError('usage', `${textOf(url)} names the same place for both parts`, {
    name: 'SamePlace',
    facts: { url: textOf(url) },
    remedy: 'Name another place for the evidence, or the ledger without split.',
  });
}

/** Fewer events than a run event reports. `past` is the cursor after the missing events. */
export function missingOf(url: string, { stream, count, report }: Attempt, missing: number, past: Cursor): Error {
  const by = placeOf(report);
  const what = `${stream} lacks ${missing} of the ${count} events that ${by} reports`;
  return new EvidenceMissing(what, { url, stream, count, missing, by, past });
}

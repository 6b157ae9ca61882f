// What keeps two ledgers from being the parts of one.
import { IcecoreError } from '../../../schemas/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import { EvidenceMissing } from '../errors.ts';
import { type Cursor, placeOf } from '../event.ts';
import type { Ledger } from '../ledger.ts';
import { type SplitUrl, textOf } from '../stores.ts';
import type { Part } from './parts.ts';
import type { Attempt } from './reports.ts';

export class NotOneLedger extends IcecoreError {
  override readonly name = 'NotOneLedger';

  constructor(decisions: Ledger, evidence: Ledger) {
    super(
      'conflict',
      `${decisions.url} and ${evidence.url} do not belong together: the one is of ledger ${decisions.id}, the other of ${evidence.id}`,
      {
        facts: {
          decisions: { url: decisions.url, ledger: decisions.id },
          evidence: { url: evidence.url, ledger: evidence.id },
        },
        remedy: 'Name the evidence that was made with these decisions, or a place where none is yet.',
      },
    );
  }
}

export class PartMissing extends IcecoreError {
  override readonly name = 'PartMissing';
  readonly part: Part;

  constructor(url: SplitUrl, part: Part) {
    const [missing, there] = part === 'evidence' ? [url.evidence, url.decisions] : [url.decisions, url.evidence];
    const remedy =
      part === 'evidence'
        ? `If its making was cut short, \`icecore init --ledger ${shellWord(textOf(url))}\` makes the rest. If it was lost, bring it back from a copy first.`
        : 'Evidence without the decisions that vouch for it is no ledger: bring the decisions back from a copy, or name another place for the evidence.';
    super(
      'not-found',
      `the ${part} of the ledger ${part === 'evidence' ? 'is' : 'are'} not at ${textOf(missing)}, the rest is at ${textOf(there)}`,
      {
        facts: { part, url: textOf(missing), there: textOf(there) },
        remedy,
      },
    );
    this.part = part;
  }
}

/** Were evidence begun anew beside decisions that rest on some, what they vouch for would be nowhere. */
export class EvidenceElsewhere extends IcecoreError {
  override readonly name = 'EvidenceElsewhere';

  constructor({ decisions, evidence }: SplitUrl, seal: string) {
    const [there, missing] = [textOf(decisions), textOf(evidence)];
    super(
      'conflict',
      `the evidence of the ledger is not at ${missing}: the decisions at ${there} vouch for evidence (${seal})`,
      {
        facts: { decisions: there, evidence: missing, seal },
        remedy: 'Name the place where it is. If it was lost, copy a back-up to two new places.',
      },
    );
  }
}

/** A whole ledger is no part of one: what lies in the wrong part is found by nobody who looks for it by its name. */
export class WholeLedger extends IcecoreError {
  override readonly name = 'WholeLedger';

  constructor(url: string, part: Part, stream: string) {
    super('conflict', `${url} cannot be the ${part} of a ledger: it has ${stream}`, {
      facts: { url, part, stream },
      remedy: `It is a whole ledger, or the other part of one. To part it: icecore ledger copy ${shellWord(url)} split:DECISIONS+EVIDENCE`,
    });
  }
}

export class SamePlace extends IcecoreError {
  override readonly name = 'SamePlace';

  constructor(url: SplitUrl) {
    super('usage', `${textOf(url)} names one place for both of its parts`, {
      facts: { url: textOf(url) },
      remedy: 'Name another place for the evidence, or the one ledger without split.',
    });
  }
}

/** Fewer events than a run event reports. After `past` comes what was to come after those that are missing. */
export function missingOf(url: string, { stream, count, report }: Attempt, missing: number, past: Cursor): Error {
  const by = placeOf(report);
  const what = `${stream} lacks ${missing} of the ${count} events that ${by} reports`;
  return new EvidenceMissing(what, { url, stream, count, missing, by, past });
}

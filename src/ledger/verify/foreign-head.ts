// A head that says nothing about the ledger at hand.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { LedgerHead } from '../../../schemas/head.ts';
import type { Ledger } from '../ledger.ts';

export class ForeignHead extends IcecoreError {
  override readonly name = 'ForeignHead';

  constructor(head: LedgerHead, { id, url }: Ledger) {
    super('bad-input', `the head is of ledger ${head.ledger}, ${url} is ${id}`, {
      facts: { head: head.ledger, ledger: id, url },
      remedy: 'Give the head of this ledger, or name the ledger it was made of with --ledger.',
    });
  }
}

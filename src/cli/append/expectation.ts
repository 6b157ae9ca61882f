// What --expect says about the end of a stream.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Expectation } from '../../ledger/event.ts';

/** Throws a usage error on anything that is no expectation, and where it is not said of which stream. */
export function expectation({ expect, stream }: { expect?: string; stream?: string }): Expectation {
  if (expect === undefined) return 'any';
  if (stream === undefined) {
    throw new IcecoreError('usage', '--expect says what one stream looks like, but none is named', {
      facts: { expect },
      remedy: 'Name it with --stream.',
    });
  }
  if (expect === 'any' || expect === 'none' || expect === 'exists') return expect;
  if (/^(?:0|[1-9][0-9]{0,14})$/.test(expect)) return Number(expect);
  throw new IcecoreError('usage', `--expect: found "${expect}", allowed: none, exists, any, or a revision from 0`, {
    facts: { field: '--expect', found: expect, allowed: ['none', 'exists', 'any', 'a revision from 0'] },
  });
}

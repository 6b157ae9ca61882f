import { describe, expect, it } from 'vitest';
import type { ProposeResult } from '../../../schemas/by-hand-output.ts';
import { markdownText } from '../../document/markdown.ts';
import { proposalDocument } from './decision-document.ts';

/** A model's answer that could not be used. */
function rejectedWith(spent: object): string {
  const rejected = {
    engineer: { name: 'gpt', version: '1' },
    context: null,
    sample: 0,
    reason: 'unreadable',
    issues: [{ field: 'answer', found: 'a truncated answer', allowed: 'a complete answer' }],
    raw: null,
    answers: [{ key: '0'.repeat(64), event: '00000000-0000-8000-8000-000000000000' }],
    ...spent,
  };
  const run = { ledger: 'sqlite:lab.db', run: 'tiny', name: 'tiny', stage: 2 };
  const result = { ...run, context: null, proposed: null, rejected, recorded: null, out: null };
  return markdownText(proposalDocument(result as ProposeResult));
}

describe('an unusable answer of a model', () => {
  it('says what it cost', () => {
    expect(rejectedWith({ cost: { currency: 'USD', total: 0.25 } })).toContain('cost 0.25 USD');
  });

  it('says that its cost is unknown, if the endpoint did not count or the model has no prices', () => {
    expect(rejectedWith({})).toContain('cost unknown');
    expect(rejectedWith({ answers: undefined })).not.toContain('cost');
  });
});

// Commands that wait for a store that does not answer say so.
import { describe, expect, it } from 'vitest';
import { inFolder, temporaryFolder } from './testing/harness.ts';

describe('a command that waits for a store', () => {
  /** Nobody listens there. */
  const nowhere = 'esdb://127.0.0.1:1/lab?tls=false&patience=2';

  it.each([
    [['event', 'append', '--ledger', nowhere], 'the ledger does not answer'],
    [['ledger', 'copy', nowhere, 'sqlite:copy.db'], 'the original does not answer'],
    [['import', 'bundle', 'there.tar', '--ledger', nowhere], 'the ledger does not answer'],
    [['verify', '--ledger', nowhere], 'the ledger does not answer'],
  ])('names that store: icecore %j', { concurrent: true }, async (argv, what) => {
    const { code, stderr } = await inFolder(temporaryFolder())(...argv);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(what) });
    expect(stderr).toContain('waiting up to 2.0 s for it');
  });
});

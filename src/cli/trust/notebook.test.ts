import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Account } from '../../ledger/verify/account.ts';
import type { Interrupted } from '../../ledger/verify/verify.ts';
import { Notebook } from '../../library/verification/notes.ts';
import { temporaryFolder } from '../testing/harness.ts';

const stopped: Interrupted = { ledger: 'mine', head: null, after: 'mine@10', account: new Account().toJSON() };
const mine = { ledger: 'mine', head: null };

function notebook(options: { readonly now?: () => number; readonly signal?: AbortSignal } = {}) {
  const path = join(temporaryFolder(), 'ledger.db.verify.json');
  const { now = () => 0, signal = new AbortController().signal } = options;
  return { path, notes: new Notebook(path, { env: { XDG_CONFIG_HOME: temporaryFolder() }, signal, now }) };
}

describe('the progress notes of a verification', () => {
  it('are built and written only after some time has passed', () => {
    let time = 0;
    const { path, notes } = notebook({ now: () => time });
    notes.note(() => expect.fail('built too soon'));
    expect(existsSync(path)).toBe(false);
    time = 5000;
    notes.note(() => stopped);
    expect(notes.read(mine)).toEqual(stopped);
    notes.note(() => expect.fail('built again too soon'));
  });

  it('are written at once when the verification is being stopped', () => {
    const stop = new AbortController();
    const { notes } = notebook({ signal: stop.signal });
    expect(notes.isKept).toBe(false);
    stop.abort();
    notes.note(() => stopped);
    expect(notes.isKept).toBe(true);
    expect(notes.read(mine)).toEqual(stopped);
  });

  it('are written on keep(), with the state at that time', () => {
    const { notes } = notebook();
    notes.keep();
    expect(notes.isKept).toBe(false);
    let after = 'mine@10';
    notes.note(() => ({ ...stopped, after }));
    after = 'mine@20';
    notes.keep();
    expect(notes.read(mine)).toEqual({ ...stopped, after });
  });

  it('are not kept if the file cannot be written', () => {
    const stop = new AbortController();
    stop.abort();
    const folder = temporaryFolder();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const places: readonly (readonly [beside: string, settings: string])[] = [
      ['/proc/nowhere', folder],
      [folder, file],
    ];
    for (const [beside, settings] of places) {
      const notes = new Notebook(join(beside, 'notes.json'), {
        env: { XDG_CONFIG_HOME: settings },
        signal: stop.signal,
      });
      notes.note(() => stopped);
      expect(notes.isKept).toBe(false);
      notes.discard();
    }
  });

  it('are rejected if they are for another head or another ledger', () => {
    const { notes } = notebook();
    notes.note(() => stopped);
    notes.keep();
    expect(() => notes.read({ ...mine, head: '0'.repeat(64) })).toThrow('used another head, or none');
    expect(() => notes.read({ ...mine, ledger: 'theirs' })).toThrow('belong to ledger mine, not to theirs');
  });

  it.each([
    ['leaves that do not start at 0', { leaves: { from: 3, subtrees: [] } }],
    ['a subtree of negative size', { leaves: { from: 0, subtrees: [[-1, '0'.repeat(64)]] } }],
    ['an attempt without its tree', { growing: [['evidence-a-1-0-0']] }],
    ['a text instead of a number', { afterSeal: [['evidence-a-1-0-0', '3']] }],
    [
      'a finding of an unknown kind',
      { findings: { kept: [{ kind: 'odd', where: '', event: null, says: '' }], total: 1, faults: 0 } },
    ],
    ['more findings than it counts', { findings: { kept: [], total: -1, faults: 0 } }],
  ])('are rejected with %s', (_, account) => {
    const { path, notes } = notebook();
    writeFileSync(path, JSON.stringify({ ...stopped, account: { ...stopped.account, ...account } }));
    expect(() => notes.read(mine)).toThrow('does not contain the notes of a verification');
  });
});

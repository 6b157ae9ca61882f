// A ledger whose tables are exported, with a run of a name that would lead elsewhere.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { recordRuns, rollout, started } from '../../../ledger/copy/testing/history.ts';
import { openLedger } from '../../../ledger/open.ts';
import { icecore, type Ran } from '../../testing/harness.ts';

/** Letters that are no ASCII: each is three bytes in the name of a folder, and nine where all of them are written as %XX. */
export const layers: string = '層'.repeat(40);

/** A name that would lead elsewhere. */
export const oddName = `été/../a=b%c "d" *?[x]{y}'${layers}`;

/** Its workspace, and exports as a command is typed there: tables are made once, and each test exports into a folder of its own. */
export function exporting(): { readonly cwd: string; readonly look: (...argv: readonly string[]) => Promise<Ran> } {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-tables-')));
  beforeAll(async () => {
    mkdirSync(join(cwd, '.icecore'));
    const ledger = await openLedger(`sqlite:${join(cwd, '.icecore', 'ledger.db')}`, { create: true });
    await recordRuns(ledger, ['a', 'b']);
    await ledger.append('evidence-a-2-0-0', [rollout('evidence-a-2-0-0', 0)], { expect: 'any' });
    const odd = started('odd', oddName);
    await ledger.append('run-odd', [{ ...odd, data: { ...odd.data, tags: ['odd'] } }], { expect: 'any' });
    await ledger.append('evidence-odd-1-0-0', [rollout('evidence-odd-1-0-0', 0)], { expect: 'any' });
    await ledger.close();
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));
  return { cwd, look: (...argv) => icecore(['export', 'tables', ...argv], { cwd: cwd }) };
}

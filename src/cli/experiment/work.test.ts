// icecore worker as a user runs it: in a process of its own that knows only what the ledger and its blobs have of the run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { inFolder, temporaryFolder } from '../testing/harness.ts';

const run = ['run', '--file', 'run.json', '--programs', '--name', 'wide', '--jobs', '1'];

/** A folder with a ledger and a run file in it. */
async function place(change: object = {}): Promise<string> {
  const cwd = temporaryFolder();
  const { name: _, ...settings } = tinySettings({ engineer: 'rules', shards: 3 });
  writeFileSync(join(cwd, 'run.json'), JSON.stringify({ ...settings, ...change }));
  await inFolder(cwd)('init');
  return cwd;
}

describe('icecore worker', () => {
  it('refuses a missing run and a run without shards', async () => {
    const cwd = await place({ stages: 1, engineer: 'uniform', shards: 1 });
    const ic = inFolder(cwd);
    expect(await ic('worker', 'wide')).toMatchObject({ code: 1 });
    expect((await ic(...run)).code).toBe(0);
    const refused = await ic('worker', 'wide');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('run wide is not split into shards, so workers have nothing to do');
    const left = await ic(...run.slice(0, 3), '--workers-only');
    expect(left).toMatchObject({ code: 2 });
    expect(left.stderr).toContain('run: --workers-only needs a run that is split into shards');
    expect((await ic('worker', 'wide', '--lease', 'soon')).stderr).toContain('--lease: found "soon"');
  }, 30_000);

  it('fails if its blobs lack a checkpoint, and names the store', async () => {
    const cwd = await place({ stages: 1, engineer: 'uniform' });
    const ic = inFolder(cwd);
    const running = ic(...run, '--workers-only');
    const elsewhere = `folder:${join(cwd, 'elsewhere')}`;
    const astray = await inFolder(cwd, { env: { ICECORE_BLOBS: elsewhere } })('worker', 'wide', '--wait');
    expect(astray.code).toBe(1);
    expect(astray.stderr).toContain(`is not in ${elsewhere}`);
    expect(astray.stderr).toContain('Use the blobs of the orchestrator');
    expect((await ic('worker', 'wide')).stdout).toBe('wide is completed; this worker did 3 shards of it\n');
    expect((await running).code).toBe(0);
  }, 60_000);
});

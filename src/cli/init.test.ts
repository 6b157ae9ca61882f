import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { icecore, inFolder, json, temporaryFolder } from './testing/harness.ts';
import { faultsAgainst } from './testing/published.ts';

describe('icecore init', () => {
  it('creates a workspace and a ledger and prints the next command', async () => {
    const cwd = temporaryFolder();
    const ran = await inFolder(cwd)('init');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^created the workspace .*\ncreated the ledger sqlite:.* \([0-9a-z]{12}\)\n$/);
    expect(ran.stderr).toMatch(/^Next: icecore run starts an experiment/);
    expect(existsSync(join(cwd, '.icecore', 'ledger.db'))).toBe(true);
    expect(readFileSync(join(cwd, '.icecore', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('leaves an existing workspace unchanged and says so', async () => {
    const run = inFolder(temporaryFolder());
    const first = json(await run('init', '--json'));
    const second = json(await run('init', '--json'));
    expect(first).toMatchObject({ createdWorkspace: true, createdLedger: true, config: null });
    expect(second).toEqual({ ...first, createdWorkspace: false, createdLedger: false });
    for (const result of [first, second]) expect(faultsAgainst('init', result)).toEqual([]);
    expect((await run('init')).stdout).toMatch(/^found the workspace .*\nfound the ledger /);
  });

  it('with --ledger creates the ledger there and records it in the settings for every folder below', async () => {
    const cwd = temporaryFolder();
    const result = json(await inFolder(cwd)('init', '--json', '--ledger', 'sqlite:data/x.db'));
    expect(result).toMatchObject({
      ledger: `sqlite:${join(cwd, 'data/x.db')}`,
      config: join(cwd, 'icecore.config.json'),
    });
    expect(existsSync(join(cwd, '.icecore', 'ledger.db'))).toBe(false);
    mkdirSync(join(cwd, 'below'));
    expect(await inFolder(join(cwd, 'below'))('event', 'tail')).toMatchObject({ code: 0, stderr: 'no events yet\n' });
    expect(json(await inFolder(cwd)('init', '--json', '--ledger', 'sqlite:data/x.db'))['config']).toBeNull();
  });

  it('does not change settings that name another ledger', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'icecore.config.json'), '{"ledger": "sqlite:one.db"}');
    const ran = await inFolder(cwd)('init', '--ledger', 'sqlite:two.db');
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('already names the ledger sqlite:one.db') });
    expect(existsSync(join(cwd, '.icecore'))).toBe(false);
  });

  it('does not switch a folder to another ledger and says what to do', async () => {
    const cwd = temporaryFolder();
    const run = inFolder(cwd);
    await run('init');
    const ran = await run('init', '--ledger', 'sqlite:my two.db');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(`already uses the ledger sqlite:${join(cwd, '.icecore/ledger.db')}`);
    expect(ran.stderr).toContain(`write {"ledger":"sqlite:my two.db"} to ${join(cwd, 'icecore.config.json')}`);
    expect(ran.stderr).toContain("icecore event append --ledger 'sqlite:my two.db' FILE");
    expect(readdirSync(cwd)).toEqual(['.icecore']);
    expect((await run('init', '--ledger', 'sqlite:./.icecore/ledger.db')).code).toBe(0);
    expect((await run('init', '--ledger', 'sqlite:.icecore/ledger.db')).code).toBe(0);
  });

  it('names the ledger of a parent folder that this folder no longer uses', async () => {
    const cwd = temporaryFolder();
    for (const name of ['project', 'settled', 'settled/inner', 'project/inner']) mkdirSync(join(cwd, name));
    await inFolder(join(cwd, 'project'))('init');
    await inFolder(join(cwd, 'settled'))('init', '--ledger', 'sqlite:settled.db');
    const left = { project: '.icecore/ledger.db', settled: 'settled.db' };
    for (const [name, before] of Object.entries(left)) {
      const inner = join(cwd, name, 'inner');
      const ran = await inFolder(inner)('init', '--ledger', 'sqlite:x.db');
      expect(ran.code).toBe(0);
      const note = `this folder uses sqlite:${join(inner, 'x.db')}, no longer sqlite:${join(cwd, name, before)}\n`;
      expect(ran.stderr).toContain(note);
    }
  });

  it('warns that ICECORE_LEDGER overrides the settings', async () => {
    const env = { ICECORE_LEDGER: 'sqlite:variable.db' };
    const ran = await icecore(['init', '--ledger', 'sqlite:x.db'], { cwd: temporaryFolder(), env });
    expect(ran.stderr).toContain('ICECORE_LEDGER names sqlite:variable.db and beats icecore.config.json');
  });

  it('creates a workspace here although a parent folder has one, and says so', async () => {
    const cwd = temporaryFolder();
    await inFolder(cwd)('init');
    mkdirSync(join(cwd, 'inner'));
    const ran = await inFolder(join(cwd, 'inner'))('init');
    expect(ran.stderr).toContain(`this workspace hides the one at ${join(cwd, '.icecore')}`);
    expect(ran.stdout).toContain(`created the workspace ${join(cwd, 'inner', '.icecore')}`);
  });

  it('creates the workspace that ICECORE_WORKSPACE names', async () => {
    const cwd = temporaryFolder();
    await icecore(['init'], { cwd, env: { ICECORE_WORKSPACE: 'somewhere/else' } });
    expect(existsSync(join(cwd, 'somewhere/else/ledger.db'))).toBe(true);
  });

  it.skipIf(!existsSync('/proc/self'))(
    'names a folder that cannot be created, for the workspace and the ledger',
    async () => {
      const cwd = temporaryFolder();
      for (const ran of [
        await icecore(['init'], { cwd, env: { ICECORE_WORKSPACE: '/proc/icecore/workspace' } }),
        await icecore(['init', '--ledger', 'sqlite:/proc/icecore/x.db'], { cwd: temporaryFolder() }),
        await inFolder(cwd)('demo', '/proc/icecore'),
      ]) {
        expect(ran).toMatchObject({ code: 1, stdout: '' });
        expect(ran.stderr).toContain('icecore: /proc/icecore: the folder cannot be created (');
      }
      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it('refuses a file that is not a ledger and leaves it unchanged', async () => {
    const cwd = temporaryFolder();
    writeFileSync(
      join(cwd, 'notes.db'),
      'not a database, only a text that is long enough to be read as one '.repeat(20),
    );
    const ran = await inFolder(cwd)('init', '--ledger', 'sqlite:notes.db');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('is not an icecore ledger');
    expect(existsSync(join(cwd, 'icecore.config.json'))).toBe(false);
  });
});

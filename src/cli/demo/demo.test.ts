import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../../schemas/catalogue.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { icecore, inFolder, json, lines, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { demoHistory } from './history.ts';

describe('the history of the demo', () => {
  it('keeps to the catalogue, in streams of the catalogue', () => {
    for (const { stream, ...event } of demoHistory()) {
      expect(checkEvent(stream, event)).toEqual([]);
      expect(parseStream(stream)).not.toBeNull();
    }
  });

  it('happened in its order, each event after what caused it', () => {
    const seen = new Set<string>();
    let last = '';
    for (const { id, at, causes } of demoHistory()) {
      for (const cause of causes) expect('event' in cause && seen.has(cause.event)).toBe(true);
      expect(at > last).toBe(true);
      expect(seen.has(id)).toBe(false);
      seen.add(id);
      last = at;
    }
  });
});

describe('icecore demo', () => {
  it('shows each step under the command that makes it, and says what to type next', async () => {
    const cwd = temporaryFolder();
    const ran = await inFolder(cwd)('demo');
    expect(ran.code).toBe(0);
    const typed = lines(ran.stdout).filter((line) => line.startsWith('$ '));
    expect(typed).toEqual([
      '$ icecore init --ledger sqlite:.icecore/ledger.db',
      '$ icecore append history.ndjson',
      '$ icecore append history.ndjson',
      '$ icecore tail',
      '$ icecore event run-demo@5',
    ]);
    expect(ran.stdout).toContain('appended 0 events to 3 streams; 14 already there');
    expect(ran.stdout).toContain('ConfigAdopted run-demo@5');
    expect(ran.stderr).toMatch(/^Next: cd icecore-demo; /);
  });

  it('shows what the commands really print when they are typed there', async () => {
    const cwd = temporaryFolder();
    const { stdout } = await inFolder(cwd)('demo', 'tour');
    const typed = await inFolder(join(cwd, 'tour'))('tail');
    expect(stdout).toContain(typed.stdout);
  });

  it('can be seen twice, and tells programs', async () => {
    const run = inFolder(temporaryFolder());
    await run('demo');
    const ran = await run('demo', '--json');
    expect(ran.code).toBe(0);
    expect(faultsAgainst('demo', json(ran))).toEqual([]);
    expect(json(ran)).toMatchObject({ total: 5, truncated: false });
  });

  it('stays in its folder, whatever the settings and variables of the surroundings say', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'icecore.config.json'), '{"ledger": "sqlite:real.db"}');
    const env = { ICECORE_HOME: join(cwd, 'home'), ICECORE_LEDGER: `sqlite:${join(cwd, 'other.db')}` };
    const ran = await icecore(['demo'], { cwd, env });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('unset ICECORE_HOME ICECORE_LEDGER; cd icecore-demo');
    for (const name of ['real.db', 'home', 'other.db']) expect(existsSync(join(cwd, name))).toBe(false);
  });

  it.each([['init', '--ledger', 'sqlite:.icecore/ledger.db'], ['init']])(
    'leaves a ledger alone that is not its own, made by %j %j %j',
    async (...argv) => {
      const cwd = temporaryFolder();
      mkdirSync(join(cwd, 'mine'));
      const inMine = inFolder(join(cwd, 'mine'));
      await inMine(...argv);
      const ran = await inFolder(cwd)('demo', 'mine');
      expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('holds other things') });
      expect(await inMine('tail')).toMatchObject({ code: 0, stderr: 'no events yet\n' });
      expect(existsSync(join(cwd, 'mine', 'history.ndjson'))).toBe(false);
    },
  );

  it('says of which files a ledger is, and they are all there is', async () => {
    const cwd = temporaryFolder();
    const { stdout } = await inFolder(cwd)('demo');
    expect(stdout).toContain('A ledger is one SQLite file, with its log (-wal, -shm) beside it.');
    const files = readdirSync(join(cwd, 'icecore-demo', '.icecore'));
    expect(files.filter((name) => !/^ledger\.db(-wal|-shm)?$/.test(name))).toEqual(['.gitignore']);
  });

  it('leaves a folder alone that holds other things', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'mine'));
    writeFileSync(join(cwd, 'mine', 'history.ndjson'), 'precious');
    const ran = await inFolder(cwd)('demo', 'mine');
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('holds other things') });
  });
});

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import type { Ran } from '../testing/harness.ts';
import { icecore, inFolder, lines, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { lastingFolder, ranDemo } from './testing/demo.ts';

function typedIn({ stdout }: Ran): string[] {
  return lines(stdout).filter((line) => line.startsWith('$ '));
}

function stagesToldIn({ stderr }: Ran): string[] {
  return lines(stderr).flatMap((line) => /^stage (\d): /.exec(line)?.[1] ?? []);
}

describe('icecore demo', () => {
  const surroundings = lastingFolder();
  const folder = join(surroundings, 'icecore-demo');
  const file = join(lastingFolder(), 'tiny.json');
  const env = {
    ICECORE_WORKSPACE: join(surroundings, 'workspace'),
    ICECORE_LEDGER: `sqlite:${join(surroundings, 'other.db')}`,
    ICECORE_BLOBS: `folder:${join(surroundings, 'other-blobs')}`,
  };
  const place = { cwd: surroundings, asked: ['--file', file], env };
  let stopped: Ran;
  let gone: Ran;
  beforeAll(async () => {
    const { name: _, ...settings } = tinySettings({ stages: 3 });
    writeFileSync(file, JSON.stringify(settings));
    writeFileSync(join(surroundings, 'icecore.config.json'), '{"ledger": "sqlite:real.db", "blobs": "folder:real"}');
    const stop = new AbortController();
    const onError = (text: string): void => {
      if (text.startsWith('stage 1: ')) stop.abort('SIGINT');
    };
    stopped = await ranDemo({ ...place, signal: stop.signal, onError });
    gone = await ranDemo(place);
  });

  it('runs an experiment, and tells how it goes as it goes', () => {
    expect(typedIn(stopped)).toEqual([
      '$ icecore init --ledger sqlite:.icecore/ledger.db',
      `$ icecore run --file ${file} --name first-run`,
    ]);
    expect(stagesToldIn(stopped)).toEqual(['1']);
  });

  it('stopped in the middle, says how to go on', () => {
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain('Go on with: icecore resume first-run\n');
    expect(stopped.stderr).toMatch(
      /\nThat is typed in icecore-demo\. From here, icecore demo icecore-demo goes on with all of it\.\n$/,
    );
  });

  it('called again goes on with the run, and looks at it, each step under the command that makes it', async () => {
    expect(gone.code).toBe(0);
    expect(typedIn(gone)).toEqual([
      '$ icecore init --ledger sqlite:.icecore/ledger.db',
      '$ icecore resume first-run',
      '$ icecore show first-run',
      '$ icecore diff first-run@2 first-run@3',
      '$ icecore why first-run@2 --detail 1',
      '$ icecore ablate first-run@2 --engineer rules --context failures,behaviour',
      expect.stringMatching(/^\$ icecore sql 'SELECT family AS size, .* ORDER BY position'$/),
    ]);
    expect(stagesToldIn(gone)).toEqual(['2', '3']);
    for (const argv of [
      ['show', 'first-run'],
      ['diff', 'first-run@2', 'first-run@3'],
      ['why', 'first-run@2', '--detail', '1'],
      ['ablate', 'first-run@2', '--engineer', 'rules', '--context', 'failures,behaviour'],
    ]) {
      const typed = await inFolder(folder)(...argv);
      expect(typed).toMatchObject({ code: 0, stdout: expect.stringContaining('first-run') });
      expect(gone.stdout).toContain(`\n${typed.stdout}\n`);
      expect(gone.stdout.split(typed.stdout)).toHaveLength(2);
    }
  });

  it('says what to type next, in which folder, and how it comes to mean that ledger', () => {
    expect(gone.stderr.split('\n').slice(-5)).toEqual([
      'Next: unset ICECORE_WORKSPACE ICECORE_LEDGER ICECORE_BLOBS; cd icecore-demo',
      '  icecore context first-run@3',
      '  icecore fork first-run@3 --engineer rules --name by-rule',
      '  icecore diff first-run@3 by-rule@3',
      '',
    ]);
  });

  it('when all is there, does nothing twice and shows the same', async () => {
    const again = await ranDemo({ ...place, quiet: true });
    expect(again).toMatchObject({ code: 0, stderr: '' });
    const [, shown] = gone.stdout.split('$ icecore show ');
    expect(again.stdout.split('$ icecore show ')[1]).toBe(shown);
    const runs = await inFolder(folder)('runs', '--json');
    expect(JSON.parse(runs.stdout)).toMatchObject({ total: 1 });
  });

  it('tells programs', async () => {
    const ran = await ranDemo({ ...place, json: true });
    const report = JSON.parse(ran.stdout) as object;
    expect(faultsAgainst('demo', report)).toEqual([]);
    expect(report).toMatchObject({ folder, total: 7, truncated: false });
  });

  it('stays in its folder, whatever the settings and variables of the surroundings say', () => {
    expect(readdirSync(surroundings).sort()).toEqual(['icecore-demo', 'icecore.config.json']);
    expect(readdirSync(folder).sort()).toEqual(['.icecore', 'demo.txt', 'icecore.config.json']);
    expect(readFileSync(join(folder, 'demo.txt'), 'utf8')).toContain('Delete the folder');
  });
});

describe('where the demo cannot run, it', () => {
  it('says why, and that it goes on once that is mended', async () => {
    const ran = await ranDemo({ cwd: temporaryFolder(), asked: ['--engineer', 'nobody'] });
    expect(ran.code).toBe(1);
    expect(typedIn(ran)).toHaveLength(2);
    expect(ran.stderr).toContain('there is no engineer "nobody"');
    expect(ran.stderr).toContain('Once that is mended, icecore demo icecore-demo goes on');
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
      expect(await inMine('event', 'tail')).toMatchObject({ code: 0, stderr: 'no events yet\n' });
      expect(existsSync(join(cwd, 'mine', 'demo.txt'))).toBe(false);
    },
  );

  it('leaves a folder alone that holds other things', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'mine'));
    writeFileSync(join(cwd, 'mine', 'notes.txt'), 'precious');
    const ran = await icecore(['demo', 'mine'], { cwd });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('holds other things') });
  });
});

it('what the demo says can be typed where icecore is called otherwise', async () => {
  const project = temporaryFolder();
  mkdirSync(join(project, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(process.argv[1] ?? '', join(project, 'node_modules', '.bin', 'icecore'));
  const asked = ['--engineer', 'nobody'];
  const env = { PATH: temporaryFolder() };
  const within = await ranDemo({ cwd: project, env, asked });
  expect(within.stdout).toContain('$ npx icecore run --engineer nobody --name first-run\n');
  expect(within.stderr).toContain('npx icecore demo icecore-demo goes on');
  const outside = await ranDemo({ cwd: project, env, folder: temporaryFolder(), asked });
  expect(outside.stdout).toMatch(/\$ node \S+ run --engineer nobody/);
});

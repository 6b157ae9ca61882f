import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import type { Ran } from '../testing/harness.ts';
import { icecore, inFolder, lines, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { findingOf } from './dungeon.ts';
import { lastingFolder, ranDemo } from './testing/demo.ts';

function typedIn({ stdout }: Ran): string[] {
  return lines(stdout).flatMap((line) => /^(\$ .*?)(?: {2}#.*)?$/.exec(line)?.[1] ?? []);
}

function stagesIn({ stderr }: Ran): string[] {
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

  it('runs an experiment and reports its progress stage by stage', () => {
    expect(typedIn(stopped)).toEqual([`$ icecore run --file ${file} --name first-run`]);
    expect(stagesIn(stopped)).toEqual(['1']);
  });

  it('when stopped, prints how to continue', () => {
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain('Continue with: icecore resume first-run\n');
    expect(stopped.stderr).toMatch(
      /\nType that in icecore-demo, or continue the demo from here: icecore demo icecore-demo\n$/,
    );
  });

  it('when called again, resumes the run and prints the commands that explain it, each with its output', async () => {
    expect(gone.code).toBe(0);
    expect(typedIn(gone)).toEqual([
      '$ icecore resume first-run',
      expect.stringMatching(/^\$ icecore why first-run@2 \S+$/),
      '$ icecore run --ledger sqlite:.icecore/dungeon.db --file dungeon.json',
      expect.stringMatching(
        /^\$ icecore ablate --ledger sqlite:\.icecore\/dungeon\.db second-run@2 --factorial failures,stats /,
      ),
    ]);
    expect(stagesIn(gone)).toEqual(['2', '3']);
    for (const line of typedIn(gone)
      .slice(1)
      .filter((one) => !one.startsWith('$ icecore run'))) {
      const typed = await inFolder(folder)(...line.split(' ').slice(2));
      expect(typed.code).toBe(0);
      expect(gone.stdout).toContain(`\n${typed.stdout}\n`);
    }
  });

  it('prints fewer than 60 lines, with a drawing of a failed rollout', () => {
    expect(`${gone.stdout}${gone.stderr}`.trimEnd().split('\n').length).toBeLessThan(60);
    expect(gone.stdout).toMatch(/^A failed rollout behind \S+, example \d+ of the context: family \S+, stage 1, /m);
    expect(gone.stdout).toContain('╭');
  });

  it('ends with an ablation of the failures module and the command for the whole experiment', () => {
    const [, ablated = ''] = gone.stdout.split('$ icecore ablate ');
    const said = /^checkpoint\/failures is significantly better than uniform by (\S+) points validation/m.exec(ablated);
    expect(Number(said?.[1])).toBeGreaterThan(40);
    expect(ablated).toMatch(/^oracle \(upper bound\) +\d/m);
    expect(ablated.split('\n').slice(-2)).toEqual([
      "Failures gain 48 points over the policy's behaviour alone, such as success rates; stats (what the tasks look like) add nothing. The whole experiment: npm run flagship, docs/controls.md",
      '',
    ]);
  });

  it('summarises small and negative gains of the ablation', () => {
    const rates = { none: 0.3, failures: 0.312, stats: 0.28 };
    const results = Object.entries(rates).map(([shown, value]) => {
      return { arm: `checkpoint/${shown}`, measure: 'validation', statistic: 'mean', value };
    });
    expect(findingOf({ results } as unknown as Parameters<typeof findingOf>[0])).toBe(
      "Failures gain 1 point over the policy's behaviour alone, such as success rates; stats (what the tasks look like) add -2 points.",
    );
  });

  it('ends with the next commands, their folder and the variables to unset', () => {
    expect(gone.stderr.split('\n').slice(-5)).toEqual([
      'Next: unset ICECORE_WORKSPACE ICECORE_LEDGER ICECORE_BLOBS; cd icecore-demo',
      '  icecore show second-run --ledger sqlite:.icecore/dungeon.db  # the run in the dungeon has a ledger of its own',
      '  icecore sql --recipe weak-signal first-run  # a query: how much of the training taught nothing',
      '  icecore serve --open  # everything on a page',
      '',
    ]);
  });

  it('when already finished, starts no run and prints the same', async () => {
    const again = await ranDemo({ ...place, quiet: true });
    expect(again).toMatchObject({ code: 0, stderr: '' });
    const [, story = ''] = gone.stdout.split('$ icecore why ');
    const resumed = story.replace(' --file dungeon.json', ' second-run').replace('$ icecore run ', '$ icecore resume ');
    expect(again.stdout.split('$ icecore why ')[1]).toBe(resumed);
    const runs = await inFolder(folder)('runs', '--json');
    expect(JSON.parse(runs.stdout)).toMatchObject({ total: 1 });
  });

  it('prints its steps as JSON with --json', async () => {
    const ran = await ranDemo({ ...place, json: true });
    const report = JSON.parse(ran.stdout) as object;
    expect(faultsAgainst('demo', report)).toEqual([]);
    expect(report).toMatchObject({ folder, total: 5, truncated: false });
  });

  it('writes only into its own folder, whatever the settings and variables', () => {
    expect(readdirSync(surroundings).sort()).toEqual(['icecore-demo', 'icecore.config.json']);
    expect(readdirSync(folder).sort()).toEqual(['.icecore', 'demo.txt', 'dungeon.json', 'icecore.config.json']);
    expect(readFileSync(join(folder, 'demo.txt'), 'utf8')).toContain('Delete the folder');
  });
});

describe('a demo that cannot run', () => {
  it('reports the cause and how to continue', async () => {
    const ran = await ranDemo({ cwd: temporaryFolder(), asked: ['--engineer', 'nobody'] });
    expect(ran.code).toBe(2);
    expect(typedIn(ran)).toHaveLength(1);
    expect(ran.stderr).toContain('there is no engineer "nobody"');
    expect(ran.stderr).toContain('After fixing that, icecore demo icecore-demo continues');
  });

  it.each([['init', '--ledger', 'sqlite:.icecore/ledger.db'], ['init']])(
    'does not touch another workspace, created by %j %j %j',
    async (...argv) => {
      const cwd = temporaryFolder();
      mkdirSync(join(cwd, 'mine'));
      const inMine = inFolder(join(cwd, 'mine'));
      await inMine(...argv);
      const ran = await inFolder(cwd)('demo', 'mine');
      expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('holds other files') });
      expect(await inMine('event', 'tail')).toMatchObject({ code: 0, stderr: 'no events yet\n' });
      expect(existsSync(join(cwd, 'mine', 'demo.txt'))).toBe(false);
    },
  );

  it('does not touch a folder with other files', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'mine'));
    writeFileSync(join(cwd, 'mine', 'notes.txt'), 'precious');
    const ran = await icecore(['demo', 'mine'], { cwd });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('holds other files') });
  });
});

it('the demo prints commands with npx or node if icecore is not on the PATH', async () => {
  const project = temporaryFolder();
  mkdirSync(join(project, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(process.argv[1] ?? '', join(project, 'node_modules', '.bin', 'icecore'));
  const asked = ['--engineer', 'nobody'];
  const env = { PATH: temporaryFolder() };
  const within = await ranDemo({ cwd: project, env, asked });
  expect(within.stdout).toContain('$ npx icecore run --engineer nobody --name first-run  # ');
  expect(within.stderr).toContain('npx icecore demo icecore-demo continues');
  const outside = await ranDemo({ cwd: project, env, folder: temporaryFolder(), asked });
  expect(outside.stdout).toMatch(/\$ node \S+ run --engineer nobody/);
});

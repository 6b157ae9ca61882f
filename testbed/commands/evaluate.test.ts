import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LakeRollout } from '../../schemas/lake-evaluation-output.ts';
import { icecore, inFolder, lines, type Ran, temporaryFolder } from '../../src/cli/testing/harness.ts';
import { faultsAgainst } from '../../src/cli/testing/published.ts';
import { untrainedIn } from '../../src/producers/policies/testing/checkpoints.ts';
import { bay, corridor, crossing, line } from './testing/lines.ts';
import { countIn, evaluationIn, lasting } from './testing/printed.ts';

const small = ['--suite', 'agents-2-wait-25-of-10'];

function evaluate(...argv: string[]): Promise<Ran> {
  return inFolder(temporaryFolder())('lake', 'evaluate', ...argv);
}

describe('icecore lake evaluate', () => {
  it.each([2, 3, 4, 5].flatMap((agents) => [25, 50, 75].map((wait) => `agents-${agents}-wait-${wait}-of-2`)))(
    'the optimal policy plans validly and optimally for all of %s',
    async (suite) => {
      const result = evaluationIn(await evaluate('optimal', '--suite', suite, '--json'));
      const all = `${result.rollouts} of ${result.rollouts}`;
      expect([countIn(result, 'valid'), countIn(result, 'optimal')]).toEqual([all, all]);
      expect(result.failures).toEqual([]);
    },
  );

  it.each([
    ['greedy', [], '45 of 80', '45 of 80'],
    ['greedy', ['--sampled'], '42 of 80', '42 of 80'],
    ['random', ['--samples', '50'], '25 of 4000', '7 of 4000'],
  ])('%s %j has its known rates', async (policy, options, valid, optimal) => {
    const result = evaluationIn(await evaluate(policy, ...small, ...options, '--json'));
    expect([countIn(result, 'valid'), countIn(result, 'optimal')]).toEqual([valid, optimal]);
  });

  it('gives the same results with any number of jobs, as text, as JSON and in every rollout', async () => {
    const cwd = temporaryFolder();
    const path = await untrainedIn(cwd);
    const run = inFolder(cwd);
    const runs = [];
    for (const jobs of ['1', '3']) {
      const options = [
        '--suite',
        'agents-3-wait-50-of-4',
        '--sampled',
        '--samples',
        '2',
        '--seed',
        '7',
        '--jobs',
        jobs,
      ];
      const { stdout } = await run('lake', 'evaluate', path, ...options, '--rollouts', 'rollouts.ndjson');
      const result = evaluationIn(await run('lake', 'evaluate', path, ...options, '--json'));
      runs.push([stdout, lasting(result), readFileSync(join(cwd, 'rollouts.ndjson'), 'utf8')]);
    }
    expect(runs[1]).toEqual(runs[0]);
    const [other] = lines((await run('lake', 'evaluate', path, '--sampled', '--seed', '8', ...small)).stdout);
    expect(other).toContain('answers drawn, seed 8');
  });

  it('accepts whole suites, which threads generate, and smaller editions', async () => {
    const result = evaluationIn(await evaluate('greedy', '--json', '--suite', 'agents-3-wait-25', '--jobs', '2'));
    expect(result.suite).toMatchObject({ name: 'agents-3-wait-25', tasks: 400 });
    const edition = evaluationIn(await evaluate('greedy', '--json', '--suite', 'agents-3-wait-25-of-49'));
    expect(edition.suite).toMatchObject({ tasks: 8 * 49 });
  });

  it('shows aggregates with intervals, sizes, agents by waits, and failures', async () => {
    const { stdout, stderr, code } = await evaluate(
      'greedy',
      '--suite',
      'agents-2-wait-25-of-4',
      '--suite',
      'agents-3-wait-75-of-4',
    );
    expect(code).toBe(0);
    expect(stdout).toBe(`greedy on 2 suites, 64 lakes, one try each, the best answer, seed icecore
lakes 3d6babb9ab00

            %  95 % interval  plans  of
valid    34.4   [23.9, 46.6]     22  64
optimal  34.4   [23.9, 46.6]     22  64

   size  valid %  optimal %  n
  3 x 3     37.5       37.5  8
  4 x 4     25.0       25.0  8
  5 x 5     37.5       37.5  8
  6 x 6     25.0       25.0  8
  7 x 7     37.5       37.5  8
  8 x 8     37.5       37.5  8
  9 x 9     25.0       25.0  8
10 x 10     50.0       50.0  8

valid / optimal %    25 % wait  75 % wait          all
2 agents           65.6 / 65.6             65.6 / 65.6
3 agents                        3.1 / 3.1    3.1 / 3.1

failed by        times     %
vertex-conflict     36  85.7  ████████████████████████
swap-conflict        6  14.3  ████
`);
    expect(stderr).toMatch(/^64 rollouts in .*, [\d,]+ agent steps\/s\n$/);
  });

  it('writes every rollout for other commands to read', async () => {
    const cwd = temporaryFolder();
    const run = inFolder(cwd);
    const result = evaluationIn(
      await run('lake', 'evaluate', 'greedy', ...small, '--rollouts', 'all.ndjson', '--json'),
    );
    const text = readFileSync(join(cwd, 'all.ndjson'), 'utf8');
    const rollouts = lines(text).map((one) => JSON.parse(one) as LakeRollout);
    for (const rollout of rollouts) expect(faultsAgainst('lake-rollout', rollout)).toEqual([]);
    expect(`${rollouts.filter(({ outcome }) => outcome === 'valid').length} of 80`).toBe(countIn(result, 'valid'));
    const judged = await icecore(['lake', 'judge'], { cwd, stdin: text });
    const outcomes = lines(judged.stdout).map((one) => (JSON.parse(one) as LakeRollout).outcome);
    expect(outcomes).toEqual(rollouts.map(({ outcome }) => outcome));
    expect(await run('lake', 'show', 'all.ndjson')).toMatchObject({ code: 0 });
  });
});

describe('lakes outside of suites', () => {
  it('can be fresh ones of a split, by default validation', async () => {
    const result = evaluationIn(await evaluate('optimal', '--agents', '3', '--count', '24', '--seed', 'x', '--json'));
    expect(result).toMatchObject({ split: 'validation', rollouts: 24, suite: { name: 'validation', tasks: 24 } });
    expect(result.suite.parameters).toMatchObject({ configuration: { agents: 3 }, count: 24, seed: 'x' });
    const probed = evaluationIn(await evaluate('optimal', '--count', '8', '--split', 'probe', '--json'));
    expect(probed).toMatchObject({ split: 'probe', rollouts: 8 });
    const shown = await evaluate('optimal', '--agents', '2', '--count', '40');
    expect(shown.stdout).toMatch(/^valid \/ optimal % +no wait +wait +all\n2 agents/m);
  });

  it('can come from a configuration', async () => {
    const cwd = temporaryFolder();
    const configuration = { agents: 2, sizes: { 4: { data: 1, hole: 0, wait: 0 } } };
    writeFileSync(join(cwd, 'config.json'), JSON.stringify(configuration));
    const ran = await inFolder(cwd)('lake', 'evaluate', 'greedy', '--config', 'config.json', '--count', '10', '--json');
    expect([...new Set(evaluationIn(ran).cells.map(({ family }) => family))]).toEqual(['4']);
  });

  it('can come from a file, whose optima are computed and not read', async () => {
    const cwd = temporaryFolder();
    const stdin = [crossing, bay, corridor].map((lake) => line(lake, { cost: 1, needsWait: false })).join('\n');
    const ran = await icecore(['lake', 'evaluate', 'optimal', '--lakes', '-', '--json'], { cwd, stdin });
    const result = evaluationIn(ran);
    expect([countIn(result, 'valid'), countIn(result, 'optimal')]).toEqual(['2 of 3', '2 of 3']);
    expect(result.failures).toEqual([{ family: '3', class: 'parse-error', count: 1 }]);
  });

  it('can have sizes that are never generated', async () => {
    const wide = { size: 12, holes: [], agents: [{ start: [0, 0], goal: [11, 11] }] };
    const cwd = temporaryFolder();
    const ran = await icecore(['lake', 'evaluate', 'greedy', '--lakes', '-', '--json'], {
      cwd,
      stdin: JSON.stringify(wide),
    });
    expect(countIn(evaluationIn(ran), 'optimal', '12')).toBe('1 of 1');
  });

  it('cause a warning if they are of the training split', async () => {
    const cwd = temporaryFolder();
    const { stdout } = await inFolder(cwd)('lake', 'generate', '--count', '5');
    const ran = await icecore(['lake', 'evaluate', 'greedy', '--lakes', '-', '--json'], { cwd, stdin: stdout });
    expect(ran.stderr).toContain('5 of 5 lakes are of the split that policies are trained on');
    expect(evaluationIn(ran).split).toBe('train');
  });
});

describe('what cannot be evaluated is reported, and nothing is created', () => {
  it.each([
    [['gready', ...small], 2, 'there is no policy "gready"', 'Did you mean greedy?'],
    [
      ['greedy', '--suite', 'agents-2-wait-26'],
      2,
      'lake has no suite "agents-2-wait-26"',
      'Did you mean agents-2-wait-2',
    ],
    [['none/here'], 1, 'none/here: there is no such file or folder', 'Name a checkpoint'],
    [['greedy', '--samples', '0'], 2, '--samples: found "0", allowed: a whole number from 1', ''],
    [['greedy', '--split', 'all'], 2, '--split: found "all", allowed: train, validation', ''],
    [
      ['greedy', ...small, '--agents', '2'],
      2,
      '--suite and --agents: a policy is evaluated on one of',
      'Use only one of them',
    ],
    [['greedy', ...small, '--suite', 'agents-2-wait-25'], 2, 'have lakes in common', 'Leave out one of them.'],
    [['greedy', '--count', '0'], 1, 'no lakes of this kind can be generated', 'icecore lake generate'],
    [['greedy', '--spending-cap', 'much'], 2, '--spending-cap: found "much", allowed: an amount', ''],
    [['greedy', '--rollouts', 'none/all.ndjson'], 1, 'none: there is no such file or folder', ''],
    [['greedy', '--lakes', 'none.ndjson'], 1, 'none.ndjson: there is no such file', ''],
    [[], 2, "missing required argument 'policy'", ''],
  ])('%j', async (argv, code, message, remedy) => {
    const cwd = temporaryFolder();
    const ran = await inFolder(cwd)('lake', 'evaluate', ...argv);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).toContain(remedy);
  });

  it.each([
    ['', 'standard input: found no lake, allowed: one lake per line'],
    ['\n \n', 'standard input: found no lake'],
    [`${line(crossing)}{"size": 3}\n`, 'standard input: line 2: holes: found nothing, allowed: a list of cells'],
    ['no lake\n', 'standard input: line 1'],
  ])('a file that holds %j', async (stdin, message) => {
    const ran = await icecore(['lake', 'evaluate', 'greedy', '--lakes', '-'], { cwd: temporaryFolder(), stdin });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(message);
  });

  it('a file that is not a checkpoint, with its path and what was found', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'notes.safetensors'), 'these are notes');
    const ran = await inFolder(cwd)('lake', 'evaluate', 'notes.safetensors', ...small);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(
      'notes.safetensors: this is not a checkpoint in the safetensors format: found a header',
    );
    const other = await untrainedIn(cwd, 'other', 'resnet-50');
    expect((await inFolder(cwd)('lake', 'evaluate', other, ...small)).stderr).toContain('found resnet-50, allowed:');
  });

  it('rollouts that would overwrite their own lakes', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'mine.ndjson'), line(crossing));
    const ran = await inFolder(cwd)(
      'lake',
      'evaluate',
      'greedy',
      '--lakes',
      'mine.ndjson',
      '--rollouts',
      'mine.ndjson',
    );
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(readFileSync(join(cwd, 'mine.ndjson'), 'utf8')).toBe(line(crossing));
  });
});

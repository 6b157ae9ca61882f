import { describe, expect, it } from 'vitest';
import { evenlyValid, type RunMade, runMade } from '../../analysis/compare/testing/sweep.ts';
import { Recording, wholeRun } from '../../analysis/history/testing/recording.ts';
import { displayWidth } from '../../base/terminal.ts';
import { placeWhere, placeWith } from '../runs/testing/looking.ts';
import { json, lines, ownColour, steering } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const made = (name: string, more: Partial<RunMade> = {}): Recording =>
  runMade({ name, valid: [evenlyValid(50), evenlyValid(70)], ...more });

const better = { engineer: 'gpt', valid: [evenlyValid(50), evenlyValid(85)] };

/** Six seeds of two engineers, and a run that is not comparable with them. */
const sweep = (): readonly Recording[] => [
  ...[1, 2, 3, 4, 5, 6].flatMap((seed) => [
    made(`rules-${seed}`, { seed, valid: [evenlyValid(50), evenlyValid(60 + seed)] }),
    made(`gpt-${seed}`, { ...better, seed, valid: [evenlyValid(50), evenlyValid(70 + (seed % 3))] }),
  ]),
  made('short', { started: { budget: { 'agent-steps': 1000 } } }),
];
const all = [1, 2, 3, 4, 5, 6].flatMap((seed) => [`rules-${seed}`, `gpt-${seed}`]);

describe('two runs', () => {
  it('are compared with their settings, their results by stage and the difference between them', async () => {
    const { look } = await placeWith(made('one'), made('two', better));
    const { code, stdout, stderr } = await look('compare', '--verbose', 'one', 'two');
    expect(code).toBe(0);
    for (const said of [
      /^2 runs compared by validation: valid$/m,
      /^All runs: environment lake, context combined, seed 1, 800,256 agent-steps\.$/m,
      /^run +engineer +stages +valid % +by stage +mixture +signal +probe-holdout +wait-50$/m,
      /^one +rules +2 of 2 +70\.0 \[65, 75\] +▅▆ +███ +50\.0 +70\.0 +70\.0$/m,
      /^two +gpt +2 of 2 +85\.0 \[81, 89\] +▅▇ +███/m,
      /^After stage 2, against one, by validation, in 3 pairs of families$/m,
      /^two +\+15\.0 +\[\+8\.\d, \+21\.\d\] +<0\.001 +3, 0 +better by 15$/m,
      /^3 +70\.0 \[60, 78\] +85\.0 \[77, 91\] +\+15\.0$/m,
      /^This compares two runs, not their settings/m,
    ])
      expect(stdout).toMatch(said);
    expect(stderr).toContain('icecore diff one@2 two@2 shows which knobs differ');
    expect(await look('diff', 'one@2', 'two@2')).toMatchObject({ code: 0 });
  });

  it('that are not comparable are reported, and the suggested --despite option works', async () => {
    const { look } = await placeWith(made('one'), made('short', { started: { budget: { 'agent-steps': 1000 } } }));
    const { stdout, code } = await look('compare', '--verbose', 'one', 'short');
    expect(code).toBe(1);
    expect(stdout).toContain(
      'short is not compared with one: the budget per stage is 1,000 agent-steps, not 400,000 agent-steps. --despite budget compares them anyway.',
    );
    expect((await look('compare', '--verbose', 'one', 'short', '--despite', 'budget')).stdout).toContain(
      'inconclusive',
    );
  });
});

describe('runs of several seeds', () => {
  it('are compared arm by arm, in pairs of seeds', async () => {
    const { look } = await placeWith(...sweep());
    const { stdout } = await look('compare', '--verbose', ...all, 'short', '--margin', '0.02');
    for (const said of [
      /^After stage 2, against rules, by validation, in 6 pairs of seeds$/m,
      /^rules +6 +63\.5 +\[61\.5, 65\.5\] +1\.9 +baseline$/m,
      /^gpt +\+7\.5 +\[\+\d\.\d, \+\d+\.\d\] +0\.031 +\d\.\d +6, 0 +better by 7\.5, not shown to be within 2$/m,
      /^The seed is the unit: each pair is two runs with the same seed\.$/m,
      /^Not compared\nshort is not compared with rules-1: the budget/m,
    ])
      expect(stdout).toMatch(said);
  });

  it('are printed as the JSON schema declares', async () => {
    const { look } = await placeWith(...sweep());
    for (const more of [
      [],
      ['--all'],
      ['--by', 'engineer'],
      ['--suite', 'probe'],
      ['--margin', '0.1', '--despite', 'budget'],
    ]) {
      const shown = await look('compare', '--verbose', ...all, 'short', '--json', ...more);
      expect(shown.stderr).toBe('');
      expect(faultsAgainst('compare', json(shown)), more.join(' ')).toEqual([]);
    }
  });

  it('are printed as Markdown tables with --format md', async () => {
    const { look } = await placeWith(...sweep());
    const { stdout } = await look('compare', '--verbose', ...all, '--format', 'md');
    expect(stdout).toMatch(/^# 12 runs compared by validation: valid$/m);
    expect(stdout).toMatch(/^\| arm \| seeds \| mean \| 95 % interval \| spread \|\s+\|$/m);
    expect(stdout).toMatch(/^\| gpt \| \+7\.5 \| /m);
    for (const line of lines(stdout).filter((one) => one.startsWith('|'))) expect(line.endsWith(' |')).toBe(true);
  });
});

describe('a terminal of 80 columns', () => {
  it('is wide enough, and colours add nothing to the text', async () => {
    const long = 'a-run-with-a-name-that-goes-on-and-on-for-longer-than-anybody-reads';
    const started = { contextForm: { modules: ['training', 'stats', 'behaviour', 'failures', 'history'] } };
    const others = [
      made('two', { ...better, started, seed: 1e15 }),
      made('long', { seed: 2, options: { rate: 0.003 }, started: { name: long } }),
    ];
    const { within } = await placeWith(...sweep(), made('one'), ...others);
    const asked = [
      ['one', 'two', long],
      ['one', 'two'],
      [...all, 'short', long],
      [...all, '--margin', '0.02', '--all'],
    ];
    for (const argv of asked) {
      const plain = (await within({ terminal: 80, env: { NO_COLOR: '1' } })('compare', '--verbose', ...argv)).stdout;
      for (const line of lines(plain)) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
      const coloured = (await within({ terminal: 80 })('compare', '--verbose', ...argv)).stdout;
      expect(coloured).toMatch(ownColour);
      expect(coloured.replaceAll(ownColour, '')).toBe(plain);
    }
  });
});

describe('runs that cannot be compared', () => {
  it('are listed with each figure once', async () => {
    const { look } = await placeWith(made('one'), made('two', { started: { budget: { 'agent-steps': 1 } } }));
    const [title = ''] = lines((await look('compare', '--verbose', 'one', 'two')).stdout).filter((line) =>
      line.startsWith('run '),
    );
    expect(title).toContain('valid %');
    expect(title).toContain('probe-holdout');
    expect(title).not.toContain('validation');
  });
});

describe('a narrow terminal', () => {
  it('shows the whole verdict', async () => {
    const { within } = await placeWith(made('one'), made('two', better));
    for (const terminal of [44, 52, 60, 68, 80]) {
      const { stdout } = await within({ terminal, env: { NO_COLOR: '1' } })('compare', '--verbose', 'one', 'two');
      for (const line of lines(stdout)) expect(displayWidth(line), line).toBeLessThanOrEqual(terminal);
      expect(stdout).toMatch(/^(two .*| +)(inconclusive|better by [0-9.]+)$/m);
      expect(stdout).not.toMatch(/\n {4}\n/);
    }
  });
});

describe('bad input', () => {
  it.each([
    [['one'], 'a comparison takes two runs or more: found one', 2],
    [['one', 'one'], 'found one, 2 times; a run does not differ from itself', 2],
    [[], 'Name runs, or all of a tag with --tag', 2],
    [['one', 'tow'], 'Did you mean two?', 1],
    [['one', 'two@9'], 'two has no stage 9: 2 stages are complete', 2],
    [['one', 'two@x'], '"x" names no stage of run two', 2],
    [['--tag', 'paper'], '--tag: no run has "paper"', 1],
    [['one', 'two', '--suite', 'validatoin'], 'Did you mean validation?', 2],
    [['one', 'two', '--measure', 'x'], '--measure: none of these runs has "x"', 2],
    [['one', 'two', '--by', 'enginer'], 'Did you mean engineer?', 2],
    [['one', 'two', '--margin', '2'], '2 points are 0.02', 2],
    [['one', 'two', '--margin', 'x'], '--margin: found "x", allowed: a share above 0 and below 1', 2],
    [['one', 'two', '--despite', 'suite'], '--suite names a suite that both were evaluated on', 2],
    [['one', 'two', '--against', 'three'], 'there is no run "three"', 1],
    [['one', 'two', '--json', '--format', 'md'], 'found --json and --format md, allowed: one of them', 2],
  ] as const)('%j is an error with advice', async (argv, said, code) => {
    const { look } = await placeWith(made('one'), made('two', better));
    const ran = await look('compare', '--verbose', ...argv);
    expect(ran.code).toBe(code);
    expect(ran.stdout + ran.stderr).toContain(said);
  });

  it('may be a ledger without runs', async () => {
    const { look } = await placeWhere(async () => {});
    expect(await look('compare', '--verbose', 'one', 'two')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no run "one"'),
    });
    expect((await look('compare', '--verbose', '--tag', 'x')).stderr).toContain('No run has any.');
  });

  it('in names and values cannot inject control characters or HTML', async () => {
    const name = 'x\u009b31m\u202e<script>|*_`';
    const hostile = made('evil', {
      started: { name, engineer: { name: '\u009b2J|' } },
      options: { 'a|b': '<b>\u009b</b>' },
    });
    const { look, within } = await placeWith(made('one'), hostile);
    const shown = (await within({ terminal: 80, env: { NO_COLOR: '1' } })('compare', '--verbose', 'one', 'evil'))
      .stdout;
    expect(steering(shown)).toEqual([]);
    const { stdout } = await look('compare', '--verbose', 'one', 'evil', '--format', 'md');
    expect(steering(stdout)).toEqual([]);
    expect(stdout).not.toContain('<script>');
    expect(steering((await look('compare', '--verbose', 'one', 'evil', '--json')).stdout)).toEqual([]);
  });

  it('with two runs of one name gets the id of a run in its label', async () => {
    const twin = new Recording('other');
    twin.sent.push(...made('other', { started: { name: 'one' } }).sent);
    const { look } = await placeWith(made('one'), twin, wholeRun());
    expect(
      (await look('compare', '--verbose', 'one', 'other')).stdout +
        (await look('compare', '--verbose', 'one', 'other')).stderr,
    ).toContain('one (other)');
  });
});

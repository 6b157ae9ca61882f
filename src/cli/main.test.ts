import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownCommands } from './registry.ts';
import { commands } from './testing/commands.ts';
import { icecore, inFolder, json, steering, temporaryFolder } from './testing/harness.ts';
import { faultsAgainst } from './testing/published.ts';

describe('the first screen', () => {
  it('is printed by help, --help, -h and without arguments', async () => {
    const run = inFolder(temporaryFolder());
    const shown = await run();
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    for (const argv of [['help'], ['--help'], ['-h'], ['--json', '--help']]) expect(await run(...argv)).toEqual(shown);
  });

  it('has the workspace and eight commands, in fewer than 20 lines', async () => {
    const cwd = temporaryFolder();
    const run = inFolder(cwd);
    const { stdout } = await run();
    expect(stdout).toContain(`\nWorkspace: none; icecore run creates ${join(cwd, '.icecore')}\n`);
    expect(stdout.split('\n').length).toBeLessThan(20);
    for (const name of ['run', 'resume', 'runs', 'show', 'why', 'ablate', 'report', 'sql'])
      expect(stdout).toMatch(new RegExp(`^  ${name} +${commands.find(name)?.summary}$`, 'm'));
    await run('init');
    expect((await run()).stdout).toContain(`\nWorkspace: ${join(cwd, '.icecore')}\n`);
  });

  it('is printed despite invalid settings, and escapes control characters', async () => {
    const cwd = join(temporaryFolder(), '\u001b[2J');
    mkdirSync(join(cwd, '.icecore'), { recursive: true });
    writeFileSync(join(cwd, 'icecore.config.json'), 'nonsense');
    const { code, stdout } = await inFolder(cwd)();
    expect(code).toBe(0);
    expect(steering(stdout)).toEqual([]);
  });
});

describe('help all', () => {
  it('lists every command with its summary by group, except hidden ones', async () => {
    const { stdout, code } = await inFolder(temporaryFolder())('help', 'all');
    expect(code).toBe(0);
    for (const { name, group, summary } of commands.all) {
      const line = new RegExp(`^  ${name} +${summary}$`, 'm');
      if (group === 'hidden') expect(stdout).not.toMatch(line);
      else expect(stdout).toMatch(line);
    }
    const groups = ['experiment', 'decide', 'understand', 'events', 'ledger', 'in and out', 'serve', 'set up'];
    expect(stdout.match(/^[a-z][a-z ]*$/gm)).toEqual(groups);
  });

  it('explains every exit code', async () => {
    const { stdout } = await inFolder(temporaryFolder())('help', 'all');
    expect(stdout).toContain(
      'Exit code: 0 done, 1 failed (also: a wrong file, an unknown run, wrong SQL), 2 misused (a wrong\ncommand line, for example with an unknown stage or knob, or a wrong icecore.config), 130 stopped by\nCtrl-C.',
    );
  });

  it('fits a terminal of 100 columns', async () => {
    const { stdout } = await inFolder(temporaryFolder())('help', 'all');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

it('commands/ has one file for each command of the registry', () => {
  const files = readdirSync(new URL('commands/', import.meta.url)).map((file) => file.replace(/\.ts$/, ''));
  expect(files.sort()).toEqual(ownCommands.map(({ name }) => name.replace(' ', '-')).sort());
});

describe('the version', () => {
  it.each(['--version', '-V'])('is printed by %s', async (flag) => {
    expect((await inFolder(temporaryFolder())(flag)).stdout).toMatch(/^icecore \d+\.\d+\.\d+\n$/);
  });

  it('is an object with --json', async () => {
    const run = inFolder(temporaryFolder());
    for (const argv of [
      ['--version', '--json'],
      ['--json', '-V'],
    ]) {
      const ran = await run(...argv);
      expect(json(ran)).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
      expect(faultsAgainst('version', json(ran))).toEqual([]);
    }
  });
});

describe('the help of a command', () => {
  it.each(commands.all.map(({ name }) => name))('%s shows its usage and examples', async (name) => {
    const run = inFolder(temporaryFolder());
    const words = name.split(' ');
    const shown = await run(...words, '--help');
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(new RegExp(`^Usage: icecore ${name} `));
    expect(shown.stdout).toMatch(/\nExamples:\n {2}\S.*:\n {4}\S/);
    expect(Math.max(...shown.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
    expect(await run('help', ...words)).toEqual(shown);
  });

  it.each([...new Set(commands.all.flatMap(({ name }) => (name.includes(' ') ? name.split(' ')[0] : [])))])(
    '%s lists the commands that begin with it',
    async (word = '') => {
      const run = inFolder(temporaryFolder());
      const family = await run(word);
      expect(family).toMatchObject({ code: 0, stderr: '' });
      for (const argv of [
        [word, '--help'],
        ['help', word],
        [word, '-h', '--json'],
      ])
        expect(await run(...argv)).toEqual(family);
      for (const { name, summary } of commands.siblings(word))
        expect(family.stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
    },
  );

  it('has option descriptions without defaults and without a final period', async () => {
    for (const entry of commands.all) {
      const { args, options } = await entry.load();
      for (const { usage, describe: says } of [...Object.values(args), ...Object.values(options)])
        expect(says, `${entry.name} ${usage}`).not.toMatch(/\(default|where it is missing|[.:]$/);
    }
  });

  it('is wrapped to the width of the terminal', async () => {
    const { stdout } = await icecore(['event', 'append', '--help'], { cwd: temporaryFolder(), terminal: 72 });
    const prose = stdout.slice(stdout.indexOf('The input has'), stdout.indexOf('Examples:'));
    expect(Math.max(...prose.split('\n').map((line) => line.length))).toBeLessThanOrEqual(72);
  });
});

describe('an invalid command line', () => {
  it.each([
    [['tial'], 'icecore: there is no command "tial"\n  Did you mean icecore event tail?\n'],
    [['zzzzzz'], 'icecore: there is no command "zzzzzz"\n  icecore help all lists the commands.\n'],
    [['help', 'tial'], 'icecore: there is no command "tial"\n  Did you mean icecore event tail?\n'],
    [['ablation', 'x'], 'icecore: there is no command "ablation"\n  Did you mean icecore ablate?\n'],
    [['seal', 'x'], 'icecore: there is no command "seal"\n  Did you mean icecore ledger seal?\n'],
    [['lake', 'slove'], 'icecore: there is no command "lake slove"\n  Did you mean icecore lake solve?\n'],
    [['--jsn'], 'icecore: there is no option "--jsn" before a command\n  Did you mean --json?\n'],
    [
      ['--ledger', 'sqlite:x.db'],
      'icecore: no command after --ledger sqlite:x.db\n  icecore help all lists the commands.\n',
    ],
    [
      ['event', 'tail', '--folow'],
      "icecore: event tail: unknown option '--folow'\n  Did you mean --follow? icecore event tail --help shows",
    ],
    [['--folow', 'event', 'tail'], "icecore: event tail: unknown option '--folow'\n"],
    [['event', 'tail', 'extra'], 'icecore: event tail: too many arguments'],
    [
      ['run', 'mine'],
      'icecore: run: too many arguments. Expected 0 arguments but got 1: mine.\n  Did you mean --name mine? icecore run --help',
    ],
    // What is no name is not suggested as one.
    [
      ['run', 'my run'],
      'icecore: run: too many arguments. Expected 0 arguments but got 1: my run.\n  icecore run --help',
    ],
    [['event', 'show'], "icecore: event show: missing required argument 'event'\n"],
    [['event', 'tail', '-n'], "icecore: event tail: option '-n, --limit <n>' argument missing\n"],
  ])('%j exits with 2 and advice', async (argv, said) => {
    const ran = await inFolder(temporaryFolder())(...argv);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr.slice(0, said.length)).toBe(said);
  });

  it('is an error object on standard output with --json, wherever the flag is', async () => {
    const run = inFolder(temporaryFolder());
    for (const argv of [
      ['--json', 'tial'],
      ['event', 'tail', '--folow', '--json'],
      ['tial', '--json'],
    ]) {
      const ran = await run(...argv);
      expect(ran.code).toBe(2);
      expect(json(ran)).toMatchObject({ error: { kind: 'usage' } });
      expect(faultsAgainst('error', json(ran))).toEqual([]);
    }
  });
});

describe('an error', () => {
  it('is two lines on standard error, and with --json also an object on standard output', async () => {
    const run = inFolder(temporaryFolder());
    const prose = await run('event', 'tail');
    expect(prose).toMatchObject({ code: 1, stdout: '' });
    expect(prose.stderr).toMatch(/^icecore: there is no ledger at .*\n {2}`icecore init` creates one here.*\n$/);
    const both = await run('event', 'tail', '--json');
    expect(both.stderr).toBe(prose.stderr);
    expect(json(both)).toMatchObject({ error: { kind: 'not-found', remedy: expect.stringContaining('icecore init') } });
    expect(faultsAgainst('error', json(both))).toEqual([]);
    expect((await run('event', 'tail', '--json', '--quiet')).stderr).toBe('');
    expect((await run('event', 'tail', '--quiet')).stderr).toBe(prose.stderr);
  });

  it('escapes control characters', async () => {
    const { stderr } = await inFolder(temporaryFolder())('\u001b[2J\u009b31m');
    expect(stderr).toContain('\\x1b[2J\\x9b31m');
  });

  it('inside icecore asks for a report, and prints its stack only with ICECORE_DEBUG', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'empty.ndjson'), '');
    const broken = { cwd, env: { ICECORE_WORKSPACE: '\0' } };
    const ran = await icecore(['init'], broken);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^icecore: something went wrong inside icecore \(.*\)\n {2}Please report it.*\n$/);
    const debugged = await icecore(['init'], { cwd, env: { ...broken.env, ICECORE_DEBUG: '1' } });
    expect(debugged.stderr).toContain('\n    at ');
  });
});

describe('the options of every command', () => {
  it('may precede or follow the command', async () => {
    const cwd = temporaryFolder();
    const run = inFolder(cwd);
    await run('init', '--ledger', 'sqlite:one.db');
    const before = await run('--json', '--ledger', 'sqlite:one.db', '--quiet', 'doctor');
    const after = await run('doctor', '--quiet', '--ledger=sqlite:one.db', '--json');
    expect(before.code).toBe(0);
    const rows = (ran: typeof before): unknown =>
      (json(ran)['rows'] as { name: string; found: string }[]).map(({ name }) => name);
    expect(rows(before)).toEqual(rows(after));
  });
});

describe('an invalid value', () => {
  const misused = [
    ['run', '--stages', 'two'],
    ['run', '--suite', 'nope'],
    ['run', '--engineer', 'nope'],
    ['run', '--context', 'nope'],
    ['run', '--environment', 'nope'],
    ['run', '--policy', 'nope'],
    ['run', '--trainer', 'nope'],
    ['run', '--budget', 'nope'],
    ['list', 'tables', 'nope'],
    ['lake', 'evaluate', 'nope'],
  ];

  it.each(misused)('typed as %s %s %s has exit code 2', async (...argv) => {
    expect(await inFolder(temporaryFolder())(...argv)).toMatchObject({ code: 2, stdout: '' });
  });

  it('in a file has exit code 1, as has an unknown run', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'run.json'), '{"engineer": "nope"}');
    const run = inFolder(cwd);
    expect(await run('run', '--file', 'run.json')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no engineer "nope"'),
    });
    expect((await run('show', 'nope')).code).toBe(1);
  });
});

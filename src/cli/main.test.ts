import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from './manifest.ts';
import { commandNames } from './names.ts';
import { icecore, inFolder, json, temporaryFolder } from './testing/harness.ts';
import { faultsAgainst } from './testing/published.ts';

describe('the first page', () => {
  it('is what help, --help, -h and no arguments at all show, on standard output', async () => {
    const run = inFolder(temporaryFolder());
    const shown = await run();
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    for (const argv of [['help'], ['--help'], ['-h'], ['--json', '--help']]) expect(await run(...argv)).toEqual(shown);
  });

  it('names every command with what it does', async () => {
    const { stdout } = await inFolder(temporaryFolder())();
    for (const { name, summary } of commands) expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
  });

  it('says what every exit code means', async () => {
    const { stdout } = await inFolder(temporaryFolder())();
    expect(stdout.replaceAll('\n', ' ')).toContain('Exit code: 0 done, 1 failed, 2 misused, 130 stopped by Ctrl-C.');
  });

  it('knows the commands by all their names', () => {
    expect(commands.map(({ name }) => name)).toEqual(commandNames);
  });

  it('fits a terminal of 120 columns', async () => {
    const { stdout } = await inFolder(temporaryFolder())();
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});

describe('the version', () => {
  it.each(['--version', '-V'])('is what %s shows', async (flag) => {
    expect((await inFolder(temporaryFolder())(flag)).stdout).toMatch(/^icecore \d+\.\d+\.\d+\n$/);
  });

  it('is an object for programs', async () => {
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
  it.each(commands.map(({ name }) => name))('%s says what it takes, with examples', async (name) => {
    const run = inFolder(temporaryFolder());
    const shown = await run(name, '--help');
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(new RegExp(`^Usage: icecore ${name} `));
    expect(shown.stdout).toMatch(/\nExamples:\n {2}\S.*:\n {4}\S/);
    expect(Math.max(...shown.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
    expect(await run('help', name)).toEqual(shown);
  });

  it('of a command that is several is told by each of them', async () => {
    const run = inFolder(temporaryFolder());
    const family = await run('lake');
    expect(family).toMatchObject({ code: 0, stderr: '' });
    for (const argv of [
      ['lake', '--help'],
      ['help', 'lake'],
      ['lake', '-h', '--json'],
    ]) {
      expect(await run(...argv)).toEqual(family);
    }
    const { command } = await import('./commands/lake.ts');
    for (const { name, summary } of command.members) {
      expect(family.stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
      const shown = await run('lake', name, '--help');
      expect(shown).toMatchObject({ code: 0, stderr: '' });
      expect(shown.stdout).toMatch(new RegExp(`^Usage: icecore lake ${name} `));
      expect(shown.stdout).toMatch(/\nExamples:\n {2}\S.*:\n {4}\S/);
      expect(Math.max(...shown.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
      expect(await run('help', 'lake', name)).toEqual(shown);
    }
  });

  it('fits the terminal', async () => {
    const { stdout } = await icecore(['append', '--help'], { cwd: temporaryFolder(), terminal: 72 });
    const prose = stdout.slice(stdout.indexOf('The input holds'), stdout.indexOf('Examples:'));
    expect(Math.max(...prose.split('\n').map((line) => line.length))).toBeLessThanOrEqual(72);
  });
});

describe('a command line that cannot be meant', () => {
  it.each([
    [['tial'], 'icecore: there is no command "tial"\n  Did you mean icecore tail?\n'],
    [['zzzzzz'], 'icecore: there is no command "zzzzzz"\n  icecore --help lists the commands.\n'],
    [['help', 'tial'], 'icecore: there is no command "tial"\n  Did you mean icecore tail?\n'],
    [['--jsn'], 'icecore: there is no option "--jsn" before a command\n  Did you mean --json?\n'],
    [
      ['--ledger', 'sqlite:x.db'],
      'icecore: no command after --ledger sqlite:x.db\n  icecore --help lists the commands.\n',
    ],
    [
      ['tail', '--folow'],
      "icecore: tail: unknown option '--folow'\n  Did you mean --follow? icecore tail --help shows",
    ],
    [['--folow', 'tail'], "icecore: tail: unknown option '--folow'\n"],
    [['tail', 'extra'], 'icecore: tail: too many arguments'],
    [['event'], "icecore: event: missing required argument 'event'\n"],
    [['tail', '-n'], "icecore: tail: option '-n, --number <n>' argument missing\n"],
  ])('%j exits with 2 and the nearest thing that can', async (argv, said) => {
    const ran = await inFolder(temporaryFolder())(...argv);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr.slice(0, said.length)).toBe(said);
  });

  it('is an error object on standard output with --json, wherever that stands', async () => {
    const run = inFolder(temporaryFolder());
    for (const argv of [
      ['--json', 'tial'],
      ['tail', '--folow', '--json'],
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
  it('is two lines of prose on standard error, and with --json an object on standard output besides', async () => {
    const run = inFolder(temporaryFolder());
    const prose = await run('tail');
    expect(prose).toMatchObject({ code: 1, stdout: '' });
    expect(prose.stderr).toMatch(/^icecore: there is no ledger at .*\n {2}Make one with .*\n$/);
    const both = await run('tail', '--json');
    expect(both.stderr).toBe(prose.stderr);
    expect(json(both)).toMatchObject({ error: { kind: 'not-found', remedy: expect.stringContaining('icecore init') } });
    expect(faultsAgainst('error', json(both))).toEqual([]);
    expect((await run('tail', '--json', '--quiet')).stderr).toBe('');
    expect((await run('tail', '--quiet')).stderr).toBe(prose.stderr);
  });

  it('never brings escape sequences of its cause to the terminal', async () => {
    const { stderr } = await inFolder(temporaryFolder())('\u001b[2J\u009b31m');
    expect(stderr).toContain('\\x1b[2J\\x9b31m');
  });

  it('of icecore itself says so, with its stack only where that was asked for', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'empty.ndjson'), '');
    const broken = { cwd, env: { ICECORE_HOME: '\0' } };
    const ran = await icecore(['init'], broken);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^icecore: something went wrong inside icecore \(.*\)\n {2}Please report it.*\n$/);
    const debugged = await icecore(['init'], { cwd, env: { ...broken.env, ICECORE_DEBUG: '1' } });
    expect(debugged.stderr).toContain('\n    at ');
  });
});

describe('options of every command', () => {
  it('may stand before the command as well as after it', async () => {
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

// A stranger's ledger names programs. None of them runs because somebody looked at it, and none because somebody went on
// with it, until the user allowed exactly this command line, in this ledger, in this folder.

import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { registry } from '../../../testbed/testing/registry.ts';
import { shellLine } from '../../base/shell-word.ts';
import type { ProgramRole } from '../../lab/programs/program.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { Consents } from '../../library/consent/consents.ts';
import { consentFor, programLine, programsNamedBy } from '../../library/consent/programs.ts';
import { forge } from '../../producers/recompute/testing/forging.ts';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import type { Io } from '../io.ts';
import { main } from '../main.ts';
import { icecore, json, type Ran, temporaryFolder } from '../testing/harness.ts';
import { type Settings, type Stranger, strangerIn, strangers } from './testing/stranger.ts';

const stranger = strangers();
/** Its run is complete, with a decision on stage 2. */
const decided = strangers({ engineer: 'rules', stages: 2 });
const jobs = ['--jobs', '1'];

interface Verb {
  readonly argv: readonly string[];
  /** What it would start. */
  readonly starts: readonly ProgramRole[];
  readonly settings?: Settings;
  readonly of?: typeof stranger;
}

const everything: readonly ProgramRole[] = ['environment', 'trainer', 'engineer'];
const external: Settings = { trainer: 'external' };

const verbs: Readonly<Record<string, Verb>> = {
  resume: { argv: ['resume', 'tiny', ...jobs], starts: everything },
  'resume without a name': { argv: ['resume', ...jobs], starts: everything },
  propose: { argv: ['propose', 'tiny@2'], starts: ['environment', 'engineer'], settings: { engineer: 'rules' } },
  'propose --engineer rules': { argv: ['propose', 'tiny@2', '--engineer', 'rules'], starts: ['environment'] },
  'propose --dry-run': {
    argv: ['propose', 'tiny@2', '--dry-run'],
    starts: ['environment', 'engineer'],
    settings: { engineer: 'rules' },
  },
  ablate: { argv: ['ablate', 'tiny@2'], starts: ['environment', 'engineer'] },
  'ablate --engineer rules': { argv: ['ablate', 'tiny@2', '--engineer', 'rules'], starts: ['environment'] },
  'ablate --depth train': {
    argv: ['ablate', 'tiny@2', '--engineer', 'rules', '--depth', 'train'],
    starts: ['environment', 'trainer'],
    of: decided,
  },
  'ablate --depth run': {
    argv: ['ablate', 'tiny@2', '--engineer', 'rules', '--depth', 'run'],
    starts: ['environment', 'trainer'],
    of: decided,
  },
  fork: { argv: ['fork', 'tiny@2', '--name', 'mine'], starts: everything },
  'fork --engineer rules': {
    argv: ['fork', 'tiny@2', '--name', 'mine', '--engineer', 'rules'],
    starts: ['environment', 'trainer'],
  },
  work: { argv: ['worker', 'tiny'], starts: ['environment'], settings: { shards: 3 } },
  adopt: { argv: ['adopt', 'next.json', '--run', 'tiny@2'], starts: ['environment'] },
  'stage start': { argv: ['stage', 'start', 'tiny'], starts: ['environment', 'engineer'], settings: external },
  'stage finish': { argv: ['stage', 'finish', 'tiny'], starts: ['environment', 'engineer'], settings: external },
};

const refused = Object.entries(verbs).flatMap(([verb, { argv, starts, settings, of }]) =>
  starts.map((role) => ({ verb, role, argv, settings, of })),
);

async function eventsOf({ icecore }: Stranger): Promise<string> {
  return (await icecore('event', 'tail', '--json', '-n', '10000')).stdout;
}

describe('a program that a ledger names', () => {
  it.each(refused)(
    'is not started as the $role by icecore $verb',
    async ({ role, argv, settings = {}, of = stranger }) => {
      const place = await of((command) => ({ ...settings, [role]: command('--level', '9') }));
      writeFileSync(join(place.folder, 'next.json'), JSON.stringify(tinySettings().configuration));
      const before = await eventsOf(place);
      const ran = await place.icecore(...argv, '--json');
      expect(place.hasRun()).toBe(false);
      expect(json(ran)).toMatchObject({
        error: { kind: 'untrusted', programs: [{ role, command: place.command('--level', '9') }] },
      });
      expect(ran.code).toBe(1);
      expect(await eventsOf(place)).toBe(before);
    },
  );

  it('is shown in full when it is refused, with the option that allows it', async () => {
    const place = await stranger((command) => ({ engineer: command('x'.repeat(300), 'a\nfake: line', '\u001b[2J') }));
    const { code, stderr } = await place.icecore('resume', 'tiny');
    expect(code).toBe(1);
    expect(stderr).toContain('x'.repeat(300));
    expect(stderr).toContain(`'a\\nfake: line' '\\x1b[2J'`);
    expect(stderr).toContain(`env -0 > ${place.canary}`);
    expect(stderr).toContain('--programs');
  });

  it.each([
    ['show', 'tiny'],
    ['show', 'tiny@1'],
    ['show', 'tiny', '--all'],
    ['runs'],
    ['why', 'tiny'],
    ['why', 'tiny@1'],
    ['context', 'tiny@2'],
    ['diff', 'tiny@1', 'tiny@1'],
    ['verify'],
    ['verify', '--recompute'],
    ['ablate', 'tiny@2', '--plan'],
    ['ablate', 'tiny@2', '--plan', '--depth', 'run'],
    ['compare', 'tiny'],
    ['report', 'tiny'],
    ['sql', 'select count(*) from rollouts'],
    ['event', 'tail'],
    ['export', 'tables', '--output', 'out'],
    ['ledger', 'head'],
    ['annotate', 'tiny', 'looked at it'],
    ['doctor'],
  ])('is not started by icecore %s %s %s', async (...argv) => {
    const place = await stranger((command) => ({ environment: command(), trainer: command(), engineer: command() }));
    await place.icecore(...argv);
    expect(place.hasRun()).toBe(false);
  });

  it('is not started from an imported bundle', async () => {
    const place = await stranger((command) => ({ environment: command(), trainer: command(), engineer: command() }));
    const file = join(temporaryFolder(), 'tiny.icecore');
    await place.icecore('export', 'bundle', 'tiny', '--output', file);
    const mine = strangerIn(temporaryFolder());
    expect(await mine.icecore('import', 'bundle', file)).toMatchObject({ code: 0 });
    for (const argv of [['resume'], ['propose'], ['ablate', 'tiny@2'], ['fork', 'tiny@2']]) {
      expect(await mine.icecore(...argv)).toMatchObject({ code: 1, stderr: expect.stringContaining(place.canary) });
    }
    expect(place.hasRun()).toBe(false);
  });
});

describe('a file that a ledger names as its policy', () => {
  it.each([
    [['resume', 'tiny']],
    [['propose', 'tiny@2', '--engineer', 'rules']],
    [['fork', 'tiny@2', '--name', 'mine']],
    [['ablate', 'tiny@2', '--engineer', 'rules']],
  ])('is not read without consent: %j', async (argv) => {
    const place = await stranger(() => ({ policy: '/dev/zero' }));
    const before = await eventsOf(place);
    const ran = await place.icecore(...argv, '--json');
    expect(json(ran)).toMatchObject({
      error: { kind: 'untrusted', programs: [{ role: 'policy', command: ['/dev/zero'] }] },
    });
    expect(await eventsOf(place)).toBe(before);
  });
});

describe('a program that a command does not need', () => {
  it.each([
    ['the trainer', 'trainer', ['propose', 'tiny@2', '--engineer', 'rules']],
    ['the engineer', 'engineer', ['propose', 'tiny@2', '--engineer', 'rules']],
    ['the trainer', 'trainer', ['ablate', 'tiny@2', '--engineer', 'rules']],
    ['the engineer', 'engineer', ['ablate', 'tiny@2', '--engineer', 'rules']],
  ] as const)('needs no consent and is not started: %s', async (_, role, argv) => {
    const place = await stranger((command) => ({ [role]: command() }));
    expect(await place.icecore(...argv)).toMatchObject({ code: 0 });
    expect(place.hasRun()).toBe(false);
  });
});

const secrets = {
  OPENAI_API_KEY: 'secret-canary-1',
  WANDB_API_KEY: 'secret-canary-2',
  AWS_SECRET_ACCESS_KEY: 'secret-canary-3',
  ICECORE_EVENTSTORE_PASSWORD: 'secret-canary-4',
  SLURM_JWT: 'secret-canary-5',
  GITHUB_TOKEN: 'secret-canary-6',
  HF_TOKEN: 'secret-canary-7',
  SSH_AUTH_SOCK: 'secret-canary-8',
} as const;

describe('a program with consent', () => {
  const hostile = (command: Stranger['command']): Settings => ({ engineer: command() });
  const resume = ['resume', 'tiny', ...jobs];

  it('is started with --programs, and not without', async () => {
    const place = await stranger(hostile);
    await place.icecore(...resume, '--programs');
    expect(place.hasRun()).toBe(true);
    const again = await stranger(hostile);
    expect(await again.icecore(...resume)).toMatchObject({ code: 1 });
    expect(again.hasRun()).toBe(false);
  });

  it("receives none of the user's secrets", async () => {
    const place = await stranger(hostile);
    await place.icecoreWith({ ...secrets, SLURM_JOB_ID: '7', CUDA_VISIBLE_DEVICES: '0' }, ...resume, '--programs');
    expect(Object.values(place.environment()).join()).not.toContain('secret-canary');
    expect(place.environment()).toMatchObject({
      SLURM_JOB_ID: '7',
      CUDA_VISIBLE_DEVICES: '0',
      PATH: expect.anything(),
    });
  });

  it('receives the variables that --env names', async () => {
    const place = await stranger(hostile);
    await place.icecoreWith(secrets, ...resume, '--programs', '--env', 'WANDB_API_KEY,HF_TOKEN');
    const { WANDB_API_KEY, HF_TOKEN, OPENAI_API_KEY } = place.environment();
    expect([WANDB_API_KEY, HF_TOKEN, OPENAI_API_KEY]).toEqual(['secret-canary-2', 'secret-canary-7', undefined]);
  });

  it.each([
    ['everything', () => '*', true],
    ['the file of the ledger', ({ folder }: Stranger) => join(folder, '.icecore/ledger.db'), true],
    ['the URL of the ledger', ({ folder }: Stranger) => `x,sqlite:${join(folder, '.icecore/ledger.db')}`, true],
    ['another ledger', () => '/elsewhere/ledger.db', false],
    ['nothing', () => '', false],
  ] as const)('is started only if ICECORE_TRUST names its ledger: %s', async (_, trust, runs) => {
    const place = await stranger(hostile);
    await place.icecoreWith({ ICECORE_TRUST: trust(place) }, ...resume);
    expect(place.hasRun()).toBe(runs);
  });
});

/** A run that the user began, with a trainer of the user's own, at which it stops each time. */
async function ownRun(words: readonly string[] = []): Promise<Stranger> {
  const place = strangerIn(temporaryFolder());
  const { name: _, ...settings } = tinySettings({ trainer: [...place.command(...words)] });
  writeFileSync(join(place.folder, 'run.json'), JSON.stringify(settings));
  await place.icecoreWith(secrets, 'run', '--file', 'run.json', '--programs', '--name', 'mine', ...jobs);
  expect(place.hasRun()).toBe(true);
  return place;
}

describe('a program that a run file names', () => {
  function handedOver(settings: (place: Stranger) => Settings): Stranger {
    const place = strangerIn(temporaryFolder());
    const { name: _, ...file } = tinySettings({ engineer: 'rules', ...settings(place) });
    writeFileSync(join(place.folder, 'run.json'), JSON.stringify(file));
    return place;
  }

  it.each(everything)('is not started before the user allows it: the %s', async (role) => {
    const place = handedOver(({ command }) => ({ [role]: [...command()] }));
    for (const verb of [['run'], ['stage', 'start']]) {
      if (verb.length > 1 && role === 'trainer') continue;
      const ran = await place.icecore(...verb, '--file', 'run.json', ...jobs);
      expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(`${role}: ${place.command()[0]}`) });
      expect(ran.stderr).toContain('run.json names a program that you have not allowed');
      expect(ran.stderr).toContain('the same command with --programs');
    }
    expect(place.hasRun()).toBe(false);
  });

  it('is not started as a trainer with knobs without consent, nor on resume from a copied ledger', async () => {
    const knobs = [{ name: 'lr', meaning: 'step size', range: { min: 0, max: 1 }, step: 0.1, start: 0.5 }];
    const place = handedOver(({ command }) => ({ trainer: { command: [...command()], knobs } }));
    const refused = { code: 1, stderr: expect.stringContaining(`trainer: ${place.command()[0]}`) };
    expect(await place.icecore('run', '--file', 'run.json', '--name', 'mine', ...jobs)).toMatchObject(refused);
    expect(place.hasRun()).toBe(false);
    await place.icecore('run', '--file', 'run.json', '--programs', '--name', 'mine', ...jobs);
    expect(place.hasRun()).toBe(true);
    const copy = ['--ledger', 'sqlite:copy.db'];
    await place.icecore('ledger', 'copy', `sqlite:.icecore/ledger.db`, 'sqlite:copy.db');
    expect(await place.icecore('resume', 'mine', ...copy, ...jobs)).toMatchObject(refused);
  });

  it('is started if the user typed the same command, or ICECORE_TRUST names the file', async () => {
    const typed = handedOver(({ command }) => ({ trainer: [...command()] }));
    await typed.icecore('run', '--file', 'run.json', '--trainer', shellLine(typed.command()), ...jobs);
    expect(typed.hasRun()).toBe(true);
    const named = handedOver(({ command }) => ({ trainer: [...command()] }));
    await named.icecoreWith({ ICECORE_TRUST: join(named.folder, 'run.json') }, 'run', '--file', 'run.json', ...jobs);
    expect(named.hasRun()).toBe(true);
  });

  it('is not allowed by consent to another file with the same content', async () => {
    const place = handedOver(({ command }) => ({ trainer: [...command()] }));
    await place.icecore('run', '--file', 'run.json', '--programs', ...jobs);
    rmSync(place.canary);
    cpSync(join(place.folder, 'run.json'), join(place.folder, 'other.json'));
    expect((await place.icecore('run', '--file', 'other.json', ...jobs)).code).toBe(1);
    expect(place.hasRun()).toBe(false);
  });
});

it('blanks in the names of runs cannot push a command out of sight', () => {
  const name = `demo: python3 safe.py${'\u00a0 \t\n'.repeat(200)}x`;
  const runs = Array.from({ length: 20 }, (_, run) => `${name}${run}`);
  const line = programLine({ role: 'environment', runs, command: ['sh', '-c', 'evil'], folder: '/x' });
  expect(line).toMatch(/^environment: sh -c evil \(runs "demo: python3 safe\.py x/);
  expect(line.length).toBeLessThan(200);
});

describe('a program that the user typed', () => {
  const resume = ['resume', 'mine', ...jobs];

  it("receives the user's environment without the credentials of icecore", async () => {
    const place = await ownRun();
    const { ICECORE_EVENTSTORE_PASSWORD, GITHUB_TOKEN, WANDB_API_KEY } = place.environment();
    expect([ICECORE_EVENTSTORE_PASSWORD, GITHUB_TOKEN, WANDB_API_KEY]).toEqual([
      undefined,
      'secret-canary-6',
      'secret-canary-2',
    ]);
  });

  it("is started again on resume, with the user's environment", async () => {
    const place = await ownRun();
    rmSync(place.canary);
    await place.icecoreWith(secrets, ...resume);
    expect(place.environment()['GITHUB_TOKEN']).toBe('secret-canary-6');
  });

  it('is not started with a changed argument', async () => {
    const place = await ownRun(['1']);
    const from = await openLedger(`sqlite:${join(place.folder, '.icecore/ledger.db')}`);
    rmSync(place.canary);
    const changed = await changedIn(place, from);
    expect(await changed.icecore(...resume)).toMatchObject({ code: 1, stderr: expect.stringContaining('exit 1') });
    expect(place.hasRun()).toBe(false);
  });

  it('is not started from a copy of the ledger', async () => {
    const place = await ownRun();
    rmSync(place.canary);
    const copy = join(temporaryFolder(), 'ledger.db');
    cpSync(join(place.folder, '.icecore/ledger.db'), copy);
    const ran = await place.icecore(...resume, '--ledger', `sqlite:${copy}`);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('have not allowed') });
    expect(place.hasRun()).toBe(false);
  });

  it('is not started in another folder', async () => {
    const place = await ownRun();
    rmSync(place.canary);
    const elsewhere = { ...place, folder: join(place.folder, 'other') };
    mkdirSync(elsewhere.folder);
    const ran = await icecore(resume, { cwd: elsewhere.folder, env: { XDG_CONFIG_HOME: place.settings } });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('have not allowed') });
    expect(place.hasRun()).toBe(false);
  });

  it('is started on another machine only with --programs', async () => {
    const place = await ownRun();
    rmSync(place.canary);
    const node = { XDG_CONFIG_HOME: temporaryFolder() };
    expect(await place.icecoreWith(node, ...resume)).toMatchObject({ code: 1 });
    expect(place.hasRun()).toBe(false);
    await place.icecoreWith(node, ...resume, '--programs');
    expect(place.hasRun()).toBe(true);
  });
});

describe('the question at the terminal', () => {
  const resume = ['resume', 'tiny', ...jobs];

  it.each([
    ['y\n', true],
    ['yes\n', true],
    ['n\n', false],
    ['\n', false],
    ['', false],
    ['sure\n', false],
  ])('shows the whole command line, and %j decides', async (answer, runs) => {
    const place = await stranger((command) => ({ engineer: command('--level', '9') }));
    const { stderr } = await answered(place, resume, answer);
    // Long lines go on below, further in.
    expect(stderr.replaceAll('\n      ', '')).toContain(`env -0 > ${place.canary}; exit 1' --level 9`);
    expect(place.hasRun()).toBe(runs);
  });

  it('is not repeated for the same program', async () => {
    const place = await stranger((command) => ({ engineer: 'rules', trainer: command() }));
    await answered(place, resume, 'y\n');
    rmSync(place.canary);
    const again = await place.icecoreWith(secrets, ...resume);
    expect(again.stderr).not.toContain('have not allowed');
    expect(Object.values(place.environment()).join()).not.toContain('secret-canary');
  });
});

describe('consent to read a file', () => {
  it('does not allow it to be run', async () => {
    const place = await stranger((command) => ({ environment: command('1') }));
    const io = { env: { XDG_CONFIG_HOME: place.settings }, cwd: place.folder };
    const ledger = await openLedger(`sqlite:${join(place.folder, '.icecore/ledger.db')}`);
    onTestFinished(() => ledger.close());
    const consents = new Consents(io.env);
    for (const program of await programsNamedBy(ledger, { ...io, registry }))
      consents.give(consentFor(ledger, { ...program, role: 'policy' }, 'typed'));
    await place.icecore('resume', 'tiny', ...jobs);
    expect(place.hasRun()).toBe(false);
  });
});

describe('the programs that a ledger names', () => {
  it('are listed, and icecore trust --yes allows them', async () => {
    const place = await stranger((command) => ({ engineer: command('1'), environment: command('2') }));
    const ledger = await openLedger(`sqlite:${join(place.folder, '.icecore/ledger.db')}`);
    onTestFinished(() => ledger.close());
    const io = { env: { XDG_CONFIG_HOME: place.settings }, cwd: place.folder };
    const named = await programsNamedBy(ledger, { ...io, registry });
    expect(named.map(({ role, runs, command }) => [role, runs, command.at(-1)])).toEqual([
      ['environment', ['tiny'], '2'],
      ['engineer', ['tiny'], '1'],
    ]);
    expect(await place.icecore('trust')).toMatchObject({ code: 1 });
    const trusted = await place.icecore('trust', '--yes', '--json');
    expect(JSON.parse(trusted.stdout).rows.map(({ kind }: { kind: string }) => kind)).toEqual(['program', 'program']);
    await place.icecore('resume', 'tiny', ...jobs);
    expect(place.hasRun()).toBe(true);
  });
});

/** The same ledger, with another argument for its trainer. */
async function changedIn(place: Stranger, from: Ledger): Promise<Stranger> {
  const path = join(place.folder, '.icecore/ledger.db');
  const other = join(temporaryFolder(), 'ledger.db');
  const to = await openLedger(`sqlite:${other}`, { create: true });
  await forge(from, to, ({ type }, data) => {
    if (type !== 'RunStarted') return data;
    return { ...data, options: { ...data.options, trainer: [...place.command('2')] } };
  });
  await Promise.all([from.close(), to.close()]);
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  cpSync(other, path);
  return place;
}

/** With somebody at the terminal who answers. */
async function answered(place: Stranger, argv: readonly string[], answer: string): Promise<Ran> {
  const stderr: string[] = [];
  const sink = (texts: string[]): Io['stderr'] => ({
    isTTY: true,
    columns: 80,
    write: async (text) => void texts.push(String(text)),
  });
  const stdin = Object.assign(Readable.from(answer === '' ? [] : [Buffer.from(answer)]), { isTTY: true });
  const io: Io = {
    ...{ stdin, stdout: sink([]), stderr: sink(stderr), cwd: place.folder, signal: new AbortController().signal },
    env: { XDG_CONFIG_HOME: place.settings },
  };
  const code = await main(argv, io);
  return { code, stdout: '', stderr: stderr.join('') };
}

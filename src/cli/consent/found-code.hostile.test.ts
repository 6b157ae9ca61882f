// A stranger's folder with settings that are code. Nothing of it may run before this user has allowed exactly that content, whatever
// is typed there; and what it said once is not taken for what it says now.
import { chmodSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commands as everyCommand } from '../testing/commands.ts';
import { icecore, json, type Ran, shell, temporaryFolder } from '../testing/harness.ts';
import { typedAtTerminal } from './testing/terminal.ts';

interface Found {
  /** Below the folder with the settings. */
  readonly cwd: string;
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  /** What follows the marker in the file. */
  write(rest: string): void;
  hasRun(): boolean;
}

const commands = everyCommand.all;

const names = ['icecore.config.ts', 'icecore.config.mts', 'icecore.config.js', 'icecore.config.mjs'];

function found(name = 'icecore.config.ts', rest = 'export default {};'): Found {
  const root = temporaryFolder();
  const cwd = join(root, 'theirs', 'deep');
  mkdirSync(cwd, { recursive: true });
  const path = join(root, 'theirs', name);
  const marker = join(root, 'marker');
  const write = (text: string): void =>
    writeFileSync(
      path,
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(marker)}, '');\n${text}\n`,
    );
  write(rest);
  return { cwd, path, env: { XDG_CONFIG_HOME: join(root, 'user') }, write, hasRun: () => existsSync(marker) };
}

/** A server is stopped as soon as it answers. */
function call({ cwd, env }: Found, ...argv: readonly string[]): Promise<Ran> {
  const stop = new AbortController();
  const onOutput = (text: string): void => {
    if (text.includes('http://127.0.0.1:')) stop.abort('SIGINT');
  };
  return icecore(argv, { cwd, env, signal: stop.signal, onOutput });
}

/** Words that commands take. */
const words = [
  ...['latest', 'mine@1', 'mine@2', 'file.json', 'events.ndjson', 'select 1', 'abcd', 'run-mine@0', 'bash', 'gpt', '-'],
  ...['--json', '--quiet', '--verbose', '--all', '--help', '--plan', '--list', '--dry-run', '--split'],
  ...['--output', 'out', '--engineer', 'rules', '--stages', '1', '--ledger', 'sqlite:own.db', '--run', 'mine', '--yes'],
];

/** Whoever types this allows it. */
const isTrust = (argv: readonly string[]): boolean => argv.includes('trust') && argv.includes('--yes');

describe('settings code without consent', () => {
  it.each(commands.map(({ name }) => name))('is not run by icecore %s', async (name) => {
    const place = found(names[name.length % names.length]);
    for (const more of [[], ['--help'], ['--json'], ['latest'], ['mine@1', 'x'], ['--ledger', 'sqlite:own.db']])
      await call(place, ...name.split(' '), ...more);
    expect(place.hasRun()).toBe(false);
  });

  it.each([[], ['help'], ['help', 'all'], ['--version'], ['help', 'run'], ['verify', '--recompute'], ['lake']])(
    'is not run by icecore %j %j',
    async (...argv) => {
      const place = found();
      await call(place, ...argv);
      expect(place.hasRun()).toBe(false);
    },
  );

  it.each([[''], ['run', '--engineer', ''], ['run', '--environment', ''], ['show', ''], ['lake', 'evaluate', '']])(
    'is not run by the completion of %j %j %j',
    async (...argv) => {
      const place = found();
      await call(place, '__complete', '--', ...argv);
      expect(place.hasRun()).toBe(false);
    },
  );

  it('is not run by random command lines', async () => {
    const line = fc.tuple(fc.constantFrom(...commands), fc.array(fc.constantFrom(...words), { maxLength: 4 }));
    const place = found();
    await fc.assert(
      fc.asyncProperty(line, async ([{ name }, more]) => {
        const argv = [...name.split(' '), ...more];
        // What measures or waits for others takes its time, and is tried above.
        fc.pre(!isTrust(argv) && !['demo', 'lake bench', 'lake train', 'tables refresh', 'event tail'].includes(name));
        await call(place, ...argv);
        expect(place.hasRun()).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it('is not run by a separate process either', async () => {
    const place = found();
    for (const line of ['run', 'runs', 'trust', 'list engineers', 'doctor'])
      await shell(`icecore ${line}`, place.cwd, place.env);
    expect(place.hasRun()).toBe(false);
  });

  it('is not run after a no at the terminal, nor by list engineers after a yes', async () => {
    const place = found();
    const ran = await typedAtTerminal(place, ['run'], 'n\n');
    expect(ran.stderr).toContain('icecore.config.ts runs its code, with your permissions');
    expect(place.hasRun()).toBe(false);
    await typedAtTerminal(place, ['list', 'engineers'], 'y\n');
    expect(place.hasRun()).toBe(false);
  });
});

describe('settings code with consent', () => {
  const trust = async (place: Found): Promise<void> => {
    expect((await call(place, 'trust', '--yes')).code).toBe(0);
    expect(place.hasRun()).toBe(true);
    rmSync(join(dirname(dirname(place.path)), 'marker'));
  };

  it('is not run after any change to the file', async () => {
    const place = found();
    await trust(place);
    place.write('export default { };');
    expect(json(await call(place, 'init', '--json'))).toMatchObject({ error: { kind: 'untrusted' } });
    expect(place.hasRun()).toBe(false);
  });

  it('is not run after the file is moved or renamed, or the consent is revoked', async () => {
    const place = found();
    await trust(place);
    const moved = join(place.cwd, 'icecore.config.ts');
    renameSync(place.path, moved);
    expect(json(await call(place, 'init', '--json'))).toMatchObject({ error: { kind: 'untrusted' } });
    renameSync(moved, `${place.path.slice(0, -2)}mts`);
    expect(json(await call(place, 'init', '--json'))).toMatchObject({ error: { kind: 'untrusted' } });
    renameSync(`${place.path.slice(0, -2)}mts`, place.path);
    await call(place, 'trust', '--revoke');
    expect(json(await call(place, 'init', '--json'))).toMatchObject({ error: { kind: 'untrusted' } });
    expect(place.hasRun()).toBe(false);
  });

  it('needs more than consent to a host', async () => {
    const place = found();
    await call(place, 'trust', '--host', 'api.openai.com');
    expect(json(await call(place, 'init', '--json'))).toMatchObject({ error: { kind: 'untrusted' } });
    expect(place.hasRun()).toBe(false);
  });

  it('is not run by read-only commands', async () => {
    const place = found();
    await trust(place);
    const looking = [
      ['runs'],
      ['show'],
      ['why'],
      ['verify'],
      ['sql', 'select 1'],
      ['doctor'],
      ['trust'],
      ['event', 'tail'],
    ];
    for (const argv of looking) await call(place, ...argv);
    expect(place.hasRun()).toBe(false);
  });

  it('is not run if the file is replaced after it was read', async () => {
    const place = found();
    const source = (path: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href);
    const script = join(dirname(dirname(place.path)), 'race.mjs');
    writeFileSync(
      script,
      `import { writeFileSync } from 'node:fs';
       import { findConfig } from ${source('../../library/place/config.ts')};
       import { runConfigCode } from ${source('../../library/place/config-code.ts')};
       const surroundings = { cwd: ${JSON.stringify(place.cwd)}, env: { ...process.env, ICECORE_TRUST: '*' } };
       const config = findConfig(surroundings);
       writeFileSync(config.path, "console.log('RAN'); export default {};");
       await runConfigCode(config, surroundings, { own: [] }).catch(({ message }) => console.log(message));`,
    );
    const ran = await shell(`"${process.execPath}" ${script}`, place.cwd, place.env);
    expect(ran.stdout).toContain('content that changed a moment ago');
    expect(ran.stdout).not.toContain('RAN');
    expect(place.hasRun()).toBe(false);
  });

  it('needs further consent for a ledger outside its folder, even for a read-only command', async () => {
    const elsewhere = join(temporaryFolder(), 'mine.db');
    const place = found('icecore.config.ts', `export default { ledger: 'sqlite:${elsewhere}' };`);
    await trust(place);
    const ran = await call(place, 'event', 'tail', '--json');
    expect(json(ran)).toMatchObject({ error: { kind: 'untrusted' } });
    expect((await call(place, 'trust')).stderr).toContain(`(ledger) names ${elsewhere}, which is outside its folder`);
  });
});

describe.skipIf(process.platform === 'win32')('settings code that others can change', () => {
  it('is refused by read-only and by writing commands', async () => {
    const place = found();
    chmodSync(place.path, 0o666);
    for (const argv of [['event', 'tail'], ['init'], ['run'], ['list', 'engineers']]) {
      const ran = await call(place, ...argv, '--json');
      if (argv[0] !== 'list') expect(json(ran)).toMatchObject({ error: { kind: 'untrusted' } });
    }
    expect(place.hasRun()).toBe(false);
  });

  it('is refused through a symbolic link, and consent does not extend to a hard link', async () => {
    const place = found();
    symlinkSync(place.path, join(place.cwd, 'icecore.config.ts'));
    expect((await call(place, 'init')).stderr).toContain(`is a link to ${place.path}, outside its folder`);
    rmSync(join(place.cwd, 'icecore.config.ts'));
    linkSync(place.path, join(place.cwd, 'icecore.config.ts'));
    await call(place, 'trust', place.path, '--yes');
    rmSync(join(dirname(dirname(place.path)), 'marker'));
    expect(json(await call(place, 'init', '--json'))).toMatchObject({ error: { kind: 'untrusted' } });
    expect(place.hasRun()).toBe(false);
  });

  it('is refused if it is a folder or a FIFO', async () => {
    const place = found();
    rmSync(place.path);
    for (const make of [`mkdir ${place.path}`, `rmdir ${place.path}; mkfifo ${place.path}`]) {
      await shell(make, place.cwd);
      expect((await call(place, 'init')).code).toBe(1);
      expect((await call(place, 'runs')).code).toBe(1);
    }
  });
});

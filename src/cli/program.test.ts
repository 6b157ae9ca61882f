import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { programName, typedHere } from './program.ts';
import { commands } from './testing/commands.ts';
import { bin, icecore, json, shell, temporaryFolder } from './testing/harness.ts';

const elsewhere = '/nowhere';

function withProgram(...folders: string[]): string {
  const folder = join(temporaryFolder(), ...folders);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, process.platform === 'win32' ? 'icecore.cmd' : 'icecore'), '');
  return folder;
}

function named(surroundings: { cwd?: string; env?: Record<string, string> }, script = '/my clone/icecore.cjs'): string {
  return programName({ cwd: temporaryFolder(), env: { PATH: elsewhere }, ...surroundings }, script);
}

describe('the program name in printed commands', () => {
  it('is icecore if it is on the PATH', () => {
    expect(named({ env: { PATH: [elsewhere, withProgram('bin')].join(delimiter) } })).toBe('icecore');
    expect(named({ env: { PATH: withProgram('node_modules', '.bin') } })).toBe('icecore');
  });

  it('is npx icecore below a project that has it installed, and below a clone', () => {
    const clone = temporaryFolder();
    writeFileSync(join(clone, 'package.json'), '{"name": "icecore"}');
    const script = join(clone, 'icecore.cjs');
    writeFileSync(script, '');
    const project = temporaryFolder();
    mkdirSync(join(project, 'node_modules', '.bin'), { recursive: true });
    symlinkSync(script, join(project, 'node_modules', '.bin', 'icecore'));
    for (const folder of [project, clone]) {
      const cwd = join(folder, 'far', 'below');
      mkdirSync(cwd, { recursive: true });
      expect(named({ cwd }, script)).toBe('npx icecore');
    }
  });

  it('is not npx icecore if npx would start another program of that name', () => {
    const planted = join(withProgram('node_modules', '.bin'), '..', '..');
    const claimed = temporaryFolder();
    writeFileSync(join(claimed, 'package.json'), '{"name": "icecore"}');
    for (const cwd of [planted, claimed]) expect(named({ cwd })).toBe(`node '/my clone/icecore.cjs'`);
  });

  it.skipIf(process.platform === 'win32')('is found without reading a FIFO or a device', () => {
    const [piped, endless] = [temporaryFolder(), temporaryFolder()];
    execFileSync('mkfifo', [join(piped, 'package.json')]);
    symlinkSync('/dev/zero', join(endless, 'package.json'));
    for (const cwd of [piped, endless]) expect(named({ cwd })).toBe(`node '/my clone/icecore.cjs'`);
  });

  it('is npx icecore if only npm put it on the PATH', () => {
    const PATH = withProgram('node_modules', '.bin');
    const cwd = join(PATH, '..', '..');
    expect(named({ cwd, env: { PATH, npm_command: 'exec' } }, join(PATH, 'icecore'))).toBe('npx icecore');
  });

  it('is node with the script anywhere else', () => {
    const project = temporaryFolder();
    writeFileSync(join(project, 'package.json'), '{"name": "mine"}');
    for (const cwd of [project, temporaryFolder()]) expect(named({ cwd })).toBe(`node '/my clone/icecore.cjs'`);
  });
});

describe('a hint', () => {
  const clone = fileURLToPath(new URL('../..', import.meta.url));
  const inClone = { cwd: clone, env: { PATH: elsewhere } };

  it('has the program name in its commands, and not in prose', () => {
    expect(typedHere('Next: icecore event tail, then `icecore init --ledger x`; icecore --help', inClone)).toBe(
      'Next: npx icecore event tail, then `npx icecore init --ledger x`; npx icecore --help',
    );
    const elsewhere = { ...inClone, ledger: 'sqlite:my runs.db' };
    expect(typedHere('Continue with: icecore resume mine', elsewhere)).toBe(
      `Continue with: ${typedHere('icecore resume', inClone).split(' resume')[0]} --ledger 'sqlite:my runs.db' resume mine`,
    );
    for (const own of ['icecore init', 'icecore trust --ledger x', 'icecore runs --ledger x', 'icecore --help'])
      expect(typedHere(own, elsewhere)).toBe(typedHere(own, inClone));
    expect(typedHere('npx icecore event tail', inClone)).toBe('npx icecore event tail');
    const prose = 'Use the newer icecore that wrote /home/icecore/x, or what is icecoreinit.';
    expect(typedHere(prose, inClone)).toBe(prose);
    const ofLedger = 'It is an icecore ledger, and holds an icecore event.';
    expect(typedHere(ofLedger, inClone)).toBe(ofLedger);
    expect(typedHere('icecore ledger seal latest@1; icecore lake --help', inClone, commands)).toBe(
      'npx icecore ledger seal latest@1; npx icecore lake --help',
    );
  });

  it('has the program name in errors and in the help', async () => {
    expect((await icecore(['event', 'tail', '--ledger', 'sqlite:/no/x.db'], inClone)).stderr).toContain(
      '`npx icecore init ',
    );
    expect((await icecore(['--help'], inClone)).stdout).toContain('  npx icecore demo ');
  });

  it('is the same in JSON, however icecore was called', async () => {
    const argv = ['event', 'tail', '--ledger', 'sqlite:/no/x.db', '--json'];
    const [here, there] = [await icecore(argv, inClone), await icecore(argv, { cwd: inClone.cwd })];
    expect(json(here)).toEqual(json(there));
    expect(here.stdout).not.toContain('npx');
  });

  it('can be typed as it is printed', async () => {
    const cwd = temporaryFolder();
    const { stderr } = await shell(`"${process.execPath}" "${bin}" event tail`, cwd);
    const [, hint = ''] = /`([^`]+)`/.exec(stderr) ?? [];
    expect(await shell(`unset -f icecore; ${hint} && ${hint}`, cwd)).toMatchObject({ code: 0 });
  });
});

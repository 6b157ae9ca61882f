// Installs the peers in their ignored folder: a Python environment and an npm one. Failed installations are reported and skipped.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, venv } from './places.ts';

const requirements = join(import.meta.dirname, 'requirements.txt');

const emmett = {
  private: true,
  dependencies: {
    '@event-driven-io/emmett': '0.38.5',
    '@event-driven-io/emmett-sqlite': '0.38.5',
    sqlite3: '5.1.7',
  },
  // The driver is fetched or compiled by its install script, which npm 12 runs only if allowed.
  allowScripts: { 'sqlite3@5.1.7': true },
};

/** Returns whether everything installed. */
export function install(): boolean {
  return [installPython(), installEmmett()].every(Boolean);
}

function installPython(): boolean {
  const base = process.env['ICECORE_BENCH_PYTHON'] ?? 'python3';
  if (!run(base, ['-m', 'venv', venv])) return missed('the Python tools');
  const python = join(venv, 'bin/python');
  // One at a time, with the versions of all: a tool without a build for this Python must not block the others.
  return pins()
    .map((pin) => run(python, ['-m', 'pip', 'install', '--quiet', '-c', requirements, pin]) || missed(pin))
    .every(Boolean);
}

function pins(): string[] {
  const lines = readFileSync(requirements, 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

function installEmmett(): boolean {
  mkdirSync(npm, { recursive: true });
  writeFileSync(join(npm, 'package.json'), JSON.stringify(emmett, null, 2));
  const args = ['install', '--no-package-lock', '--no-audit', '--no-fund'];
  return run('npm', args, npm) || missed('emmett');
}

function run(command: string, args: readonly string[], cwd?: string): boolean {
  console.error(`$ ${[command, ...args].join(' ')}`);
  return spawnSync(command, args, { cwd, stdio: 'inherit' }).status === 0;
}

function missed(what: string): false {
  console.error(`${what} could not be installed and will be skipped.`);
  return false;
}

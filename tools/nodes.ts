// The two Nodes for packaging checks: the pinned one, which runs this file, and an old one. If the machine has no old one, it is fetched, so that
// the checks are never skipped.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const pinnedNode = process.execPath;

const FIRST_NEW_MAJOR = 24;
// The last 20 that exists for every pinned platform.
const FETCHED_OLD = '20.18.1';
const pins = createRequire(new URL('node/package.json', import.meta.url));

export interface NodePackage {
  name: string;
  version: string;
  folder: string;
}

/** The package of the pinned Node for this platform. */
export function pinnedPackage(): NodePackage {
  const { optionalDependencies }: { optionalDependencies: Record<string, string> } = pins('./package.json');
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const manifest = resolved(`${name}/package.json`);
    if (manifest) return { name, version, folder: dirname(manifest) };
  }
  throw new Error(`no Node is pinned for ${process.platform} on ${process.arch}, or it was not installed: run npm ci`);
}

/** The path of an old Node: ICECORE_TEST_OLD_NODE, else one on the PATH, else a fetched one. */
export function oldNode(): string {
  return process.env['ICECORE_TEST_OLD_NODE'] ?? oldNodeOnPath() ?? fetchedOldNode();
}

/** The PATH without the folders that an installed clone adds. */
export function ownPath(): string[] {
  const path = process.env['PATH'] ?? '';
  return path.split(delimiter).filter((folder) => !/[/\\]node_modules[/\\]/.test(folder));
}

/** Installs a package, by its name and exact version, into the ignored folder .cache; returns its node_modules folder. */
export function fetched(name: string, version: string): string {
  const folder = join(root, '.cache', `${name}-${version}`);
  const modules = join(folder, 'node_modules');
  if (!existsSync(join(modules, name, 'package.json'))) {
    const args = ['install', '--no-save', '--prefix', folder, `${name}@${version}`];
    execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' });
  }
  return modules;
}

function resolved(file: string): string | undefined {
  try {
    return pins.resolve(file);
  } catch {
    return undefined;
  }
}

function oldNodeOnPath(): string | undefined {
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  return ownPath()
    .map((folder) => join(folder, file))
    .filter((path) => existsSync(path))
    .map(identified)
    .find(({ major }) => major < FIRST_NEW_MAJOR)?.path;
}

// The Node itself, not a version manager's script, which might not pass on signals.
function identified(node: string): { major: number; path: string } {
  const script = 'JSON.stringify({ major: parseInt(process.versions.node, 10), path: process.execPath })';
  return JSON.parse(execFileSync(node, ['-p', script], { encoding: 'utf8' }));
}

function fetchedOldNode(): string {
  const { name } = pinnedPackage();
  const folder = join(fetched(name, FETCHED_OLD), name);
  return join(folder, pins(join(folder, 'package.json')).bin.node);
}

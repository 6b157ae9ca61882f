// Checks package-lock.json: every package has the digest that npm compares its download with, comes from npm's public registry, and runs no install
// script that package.json does not decide on. With --complete, missing digests are looked up in the registry. npm itself omits them for entries
// copied from an installed folder.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
}

export interface Manifest {
  /** npm's own field: whether the install scripts of a package may run. */
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

const registry = 'https://registry.npmjs.org/';
const installed = 'node_modules/';
// A SHA-512 in base64. npm also accepts weaker digests.
const strongDigest = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** The problems of the lock file, one line each; empty if there are none. */
export function lockFileProblems(lock: LockFile, manifest: Manifest): readonly string[] {
  return Object.entries(lock.packages).flatMap(([path, locked]) =>
    locked.link === true ? linkProblems(path, locked, lock) : packageProblems(path, locked, manifest),
  );
}

/** A link must lead to a workspace of this repository, which the lock file lists too. */
function linkProblems(path: string, { resolved }: LockedPackage, lock: LockFile): readonly string[] {
  const isWorkspace = resolved !== undefined && !resolved.startsWith('..') && resolved in lock.packages;
  return isWorkspace ? [] : [`${path}: links to ${resolved}, which is not a workspace of this repository`];
}

function packageProblems(path: string, locked: LockedPackage, manifest: Manifest): readonly string[] {
  if (!isFetched(path, locked)) return [];
  const problems: string[] = [];
  if (locked.integrity === undefined)
    problems.push(`${path}: has no integrity; run npm run check:lockfile -- --complete`);
  else if (!strongDigest.test(locked.integrity))
    problems.push(`${path}: integrity is not a SHA-512: ${locked.integrity}`);
  if (locked.resolved !== undefined && !locked.resolved.startsWith(registry)) {
    problems.push(`${path}: comes from ${locked.resolved}, not from ${registry}`);
  }
  const name = nameOf(path, locked);
  if (locked.hasInstallScript === true && manifest.allowScripts?.[name] === undefined) {
    problems.push(`${path}: runs a script when it is installed; decide on ${name} in allowScripts of package.json`);
  }
  return problems;
}

/** Whether npm downloads it: not the repository itself, a workspace, or a bundled package. */
function isFetched(path: string, { inBundle }: LockedPackage): boolean {
  return path.includes(installed) && inBundle !== true;
}

/** An alias contains the real name. */
function nameOf(path: string, { name }: LockedPackage): string {
  return name ?? path.slice(path.lastIndexOf(installed) + installed.length);
}

/** The lock file with missing digests added. */
function completed(lock: LockFile): LockFile {
  const packages = Object.entries(lock.packages).map(([path, locked]) => {
    const lacksDigest = locked.link !== true && locked.integrity === undefined && isFetched(path, locked);
    return [path, lacksDigest ? withDigest(path, locked) : locked] as const;
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}

/** Fields in npm's own order, so that its next change has a minimal diff. */
function withDigest(path: string, locked: LockedPackage): LockedPackage {
  const spec = `${nameOf(path, locked)}@${locked.version}`;
  const integrity = execFileSync('npm', ['view', spec, 'dist.integrity'], { encoding: 'utf8' }).trim();
  process.stderr.write(`${spec}: ${integrity}\n`);
  const before = ['name', 'version', 'resolved'];
  const fields = Object.entries(locked);
  const [first, rest] = [true, false].map((isFirst) => fields.filter(([field]) => before.includes(field) === isFirst));
  return Object.fromEntries([...(first ?? []), ['integrity', integrity], ...(rest ?? [])]);
}

if (import.meta.main) {
  const path = fileURLToPath(new URL('../package-lock.json', import.meta.url));
  const found = JSON.parse(readFileSync(path, 'utf8')) as LockFile;
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
  const lock = process.argv.includes('--complete') ? completed(found) : found;
  if (lock !== found) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  const problems = lockFileProblems(lock, manifest);
  for (const problem of problems) process.stderr.write(`package-lock.json: ${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

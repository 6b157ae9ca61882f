// The time of `icecore --help` minus that of a bare `node -e 0`: in the clone, started by the Node on the PATH, and as installed from the package.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inFolder } from './folder.ts';
import { median } from './measure.ts';
import type { Line, Report } from './report.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const limitMs = 150;
const runs = 21;
/** Show only errors. */
const quietly = ['ignore', 'ignore', 'inherit'] as const;

export function startupBench(): Promise<Report[]> {
  return inFolder((folder) => {
    const installed = join(install(folder), 'node_modules', 'icecore', 'bin', 'icecore.cjs');
    const clone = join(root, 'bin', 'icecore.cjs');
    const pinned = process.execPath;
    const old = nodeOnPath();
    const cases = [
      { what: 'clone, this Node', node: pinned, program: clone },
      { what: 'installed, this Node', node: pinned, program: installed },
      ...(old === null ? [] : [{ what: `clone, ${versionOf(old)} on the PATH`, node: old, program: clone }]),
    ];
    const beyond = cases.map(({ what, node, program }) => ({ what, ms: beyondBare(node, program) }));
    return [
      {
        title: 'icecore --help beyond node -e 0',
        lines: beyond.map(line),
        data: Object.fromEntries(beyond.map(({ what, ms }) => [what, ms])),
      },
    ];
  });
}

function line({ what, ms }: { what: string; ms: number }): Line {
  return { what, value: `${ms} ms`, target: `within ${limitMs} ms`, met: ms <= limitMs };
}

function beyondBare(node: string, program: string): number {
  const difference: number[] = [];
  for (let run = 0; run <= runs; run++) {
    const bare = milliseconds(node, ['-e', '0']);
    const help = milliseconds(node, [program, '--help']);
    if (run > 0) difference.push(help - bare);
  }
  return Math.round(median(difference));
}

function milliseconds(node: string, args: readonly string[]): number {
  const started = performance.now();
  const { status } = spawnSync(node, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${node} ${args.join(' ')} ended with ${status}`);
  return performance.now() - started;
}

/** The package as installed by a user. */
function install(folder: string): string {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, stdio: [...quietly] });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  execFileSync('npm', ['install', '--prefix', folder, join(folder, tarball)], { cwd: folder, stdio: [...quietly] });
  return folder;
}

/** The Node on the PATH other than the clone's own; null if there is none. */
function nodeOnPath(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const found = folders.map((folder) => join(folder, 'node')).find((file) => existsSync(file));
  return found === undefined || versionOf(found) === process.version ? null : found;
}

function versionOf(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
}

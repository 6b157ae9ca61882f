// Installs the last commit like a new user, with each common npm: clone, install, run; pack, install elsewhere, run. It starts with an empty npm
// cache, prints one line per case, and fails if one of them does. `--quick` tries only the newest npm, and packs, which includes most of the rest.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fetched, oldNode, ownPath, pinnedNode, root } from './nodes.ts';

interface Toolchain {
  npm: string;
  node: string;
}

interface Case {
  title: string;
  check: (run: Run, folder: string) => void;
}

type Run = (command: string, args: string[], cwd: string) => string;

const old = oldNode();
// npm 12 does not start on an old Node.
const toolchains: Toolchain[] = [
  { npm: '10.9.9', node: old },
  { npm: '11.21.2', node: old },
  { npm: '12.2.0', node: pinnedNode },
];
const cases: Case[] = [
  { title: 'npm ci, npx icecore', check: (run, folder) => runsInClone(run, folder, ['ci']) },
  {
    title: 'npm ci --ignore-scripts, npx icecore',
    check: (run, folder) => runsInClone(run, folder, ['ci', '--ignore-scripts']),
  },
  { title: 'npm pack, installed elsewhere, and the npx line it prints on an old Node', check: runsInstalled },
];
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const temp = mkdtempSync(join(tmpdir(), 'icecore-npm-'));

try {
  const isQuick = process.argv.includes('--quick');
  const triedCases = isQuick ? cases.slice(-1) : cases;
  const failures = (isQuick ? toolchains.slice(-1) : toolchains).flatMap((toolchain) =>
    triedCases.filter((it) => !passes(toolchain, it)),
  );
  process.exitCode = failures.length > 0 ? 1 : 0;
} finally {
  rmSync(temp, { recursive: true, force: true });
}

function passes(toolchain: Toolchain, { title, check }: Case): boolean {
  const folder = join(temp, 'case');
  const name = `npm ${toolchain.npm} on Node ${versionOf(toolchain.node)}: ${title}`;
  const start = performance.now();
  try {
    mkdirSync(folder);
    check(runner(toolchain), folder);
    console.log(`ok    ${name} (${((performance.now() - start) / 1000).toFixed(0)} s)`);
    return true;
  } catch (error) {
    console.log(`FAIL  ${name}\n${error instanceof Error ? error.message : error}`);
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runsInClone(run: Run, folder: string, install: string[]): void {
  const clone = cloned(run, folder);
  run('npm', install, clone);
  expectVersion(run('npx', ['icecore', '--version'], clone));
}

function runsInstalled(run: Run, folder: string): void {
  const clone = cloned(run, folder);
  run('npm', ['ci'], clone);
  run('npm', ['pack', '--pack-destination', folder], clone);
  const [tarball] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  const elsewhere = join(folder, 'else where');
  mkdirSync(elsewhere);
  run('npm', ['init', '-y'], elsewhere);
  run('npm', ['install', join(folder, String(tarball))], elsewhere);
  const program = join(elsewhere, 'node_modules', 'icecore', 'bin', 'icecore.cjs');
  expectVersion(run(pinnedNode, [program, '--version'], elsewhere));
  expectVersion(run('sh', ['-c', remedyOn(old, program)], folder));
}

// What the message on an old Node says to type.
function remedyOn(node: string, program: string): string {
  const { status, stderr } = spawnSync(node, [program, '--version'], { encoding: 'utf8' });
  const line = /; run: (npx .*)\n$/.exec(stderr)?.[1];
  if (status !== 2 || line === undefined) throw new Error(`exit ${status}, without a line to type: ${stderr}`);
  return line;
}

function cloned(run: Run, folder: string): string {
  run('git', ['clone', '--quiet', '--depth', '1', pathToFileURL(root).href, 'clone'], folder);
  return join(folder, 'clone');
}

function runner({ npm, node }: Toolchain): Run {
  const path = [join(fetched('npm', npm), '.bin'), dirname(node), ...ownPath()].join(delimiter);
  const env = { ...process.env, PATH: path, npm_config_cache: join(temp, 'cache') };
  return (command, args, cwd) => {
    const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
    if (status === 0) return stdout;
    throw new Error(`${command} ${args.join(' ')}: exit ${status}\n${error?.message ?? ''}${stdout}${stderr}`);
  };
}

function expectVersion(output: string): void {
  if (output !== `icecore ${version}\n`) throw new Error(`--version printed ${JSON.stringify(output)}, not ${version}`);
}

function versionOf(node: string): string {
  return spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim();
}

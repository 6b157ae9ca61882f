// The command on an old Node: it starts the pinned Node instead, and callers cannot tell the difference. The program behind the command is a
// small test program, in folders like those of a clone.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { oldNode, pinnedNode, pinnedPackage, root } from '../tools/nodes.ts';

const PROGRAM = `
  import { text } from 'node:stream/consumers';
  let interrupts = 0;
  const deeds = {
    exit: ([code]) => Number(code),
    tell: (args) => console.log(JSON.stringify({ args, version: process.versions.node, pid: process.pid, env: process.env })),
    echo: async () => process.stdout.write(await text(process.stdin)),
    hang: () => new Promise(() => { console.log('ready'); setInterval(() => {}, 1000); }),
    tidy: () => { process.on('SIGTERM', () => process.exit(7)); return deeds.hang(); },
    count: () => {
      process.on('SIGINT', () => { interrupts++; console.log('interrupted, under ' + process.ppid); });
      process.on('SIGTERM', () => { console.log('interrupts: ' + interrupts); process.exit(); });
      return deeds.hang();
    },
  };
  export const main = async ([deed, ...args]) => (await deeds[deed](args)) ?? 0;
`;

const temp = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-restart-')));
const old = oldNode();
const node = pinnedPackage();
let command: string;

beforeAll(() => {
  command = laidOut('clone');
  providesNode(join(temp, 'clone/node_modules', node.name));
});
afterAll(() => rmSync(temp, { recursive: true, force: true }));

describe('on an old Node', () => {
  it('runs the program on the pinned one', () => {
    expect(report(command, old).version).toBe(node.version);
  });

  it.each([0, 1, 2])('ends with the exit code of the program: %i', (code) => {
    expect(run(old, command, 'exit', String(code)).status).toBe(code);
  });

  it('passes on every argument unchanged', () => {
    const args = ['two words', 'grüße ☃ 🧊', '', `"it's"`, '$HOME', 'a\\b', '*', '--flag=x y', '-', 'line\nbreak'];
    expect(report(command, old, ...args).args).toEqual(args);
  });

  it('passes on standard input', () => {
    expect(spawnSync(old, [command, 'echo'], { input: 'one\ntwo', encoding: 'utf8' }).stdout).toBe('one\ntwo');
  });

  it('does not leak the restart marker to the program', () => {
    const settings = (env: object) => Object.keys(env).filter((name) => name.startsWith('ICECORE'));
    expect(settings(report(command, old).env)).toEqual(settings(process.env));
  });
});

describe('on a Node that is new enough', () => {
  it('runs the program in the same process', () => {
    const { pid, stdout } = run(pinnedNode, command, 'tell');
    expect(JSON.parse(stdout).pid).toBe(pid);
  });
});

describe.skipIf(process.platform === 'win32')('a signal', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const)(
    'that ends the program ends the command: %s',
    async (it) => {
      const child = await ready(command, 'hang');
      child.kill(it);
      expect(await once(child, 'close')).toEqual([null, it]);
    },
  );

  it('that the program handles ends the command like the program', async () => {
    const child = await ready(command, 'tidy');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([7, null]);
  });

  it.skipIf(!hasTerminal())('from the keyboard reaches the program once', async () => {
    const child = started('script', ['-qec', `'${old}' '${command}' count`, '/dev/null']);
    await printed(child, /ready/);
    child.stdin.write('\x03');
    const [, shim] = await printed(child, /interrupted, under (\d+)/);
    // If the command had forwarded SIGINT, it would have arrived before this.
    process.kill(Number(shim), 'SIGTERM');
    await printed(child, /interrupts: 1\b/);
  });
});

describe('the pinned Node', () => {
  it('is found without hoisting', () => {
    const nested = laidOut('nested');
    providesNode(join(temp, 'nested/tools/node/node_modules', node.name));
    expect(report(nested, old).version).toBe(node.version);
  });

  it('is found next to an installed icecore', () => {
    const installed = laidOut('project/node_modules/icecore');
    providesNode(join(temp, 'project/node_modules', node.name));
    expect(report(installed, old).version).toBe(node.version);
  });

  it('is not used when it is too old itself', () => {
    const outdated = laidOut('outdated');
    const folder = join(temp, 'outdated/node_modules', node.name);
    pretendsToBe(folder, '20.0.0', pinnedNode);
    expect(refusal(outdated)).toContain(`npx -y -p ${node.name}@${node.version} node ${outdated} tell`);
  });

  it('is started once, even if its version is not as declared', () => {
    const deceived = laidOut('deceived');
    const folder = join(temp, 'deceived/node_modules', node.name);
    pretendsToBe(folder, node.version, old);
    expect(refusal(deceived)).toContain(`npx -y -p ${node.name}@${node.version} node ${deceived} tell`);
  });

  it('that does not start counts as missing', () => {
    const broken = laidOut('broken');
    const folder = join(temp, 'broken/node_modules', node.name);
    pretendsToBe(folder, node.version, join(temp, 'nowhere'));
    expect(refusal(broken)).toContain(`npx -y -p ${node.name}@${node.version} node ${broken} tell`);
  });

  it('is suggested by npm ci in a clone without dependencies', () => {
    const fresh = laidOut('fresh');
    mkdirSync(join(temp, 'fresh/tools/node'), { recursive: true });
    expect(refusal(fresh)).toMatch(`; run npm ci in ${join(temp, 'fresh')}, which brings one\n`);
  });
});

describe('the command', () => {
  it('quotes arguments for a shell', () => {
    const { stderr } = run(old, laidOut('bare'), 'append', 'my events.ndjson', `it's`);
    const line = stderr.slice(stderr.indexOf('npx'));
    const words = spawnSync('sh', ['-c', `printf '%s|' ${line}`], { encoding: 'utf8' }).stdout.split('|');
    expect(words.slice(-4, -1)).toEqual(['append', 'my events.ndjson', `it's`]);
  });
});

function laidOut(folder: string): string {
  const installed = join(temp, folder);
  cpSync(join(root, 'bin'), join(installed, 'bin'), { recursive: true });
  mkdirSync(join(installed, 'dist/src/cli'), { recursive: true });
  writeFileSync(join(installed, 'package.json'), '{"type":"module"}');
  writeFileSync(join(installed, 'dist/src/cli/main.js'), PROGRAM);
  return join(installed, 'bin/icecore.cjs');
}

function providesNode(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  symlinkSync(node.folder, folder, 'junction');
}

function pretendsToBe(folder: string, version: string, binary: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version, bin: { node: 'node' } }));
  symlinkSync(binary, join(folder, 'node'), 'file');
}

function run(node: string, command: string, ...args: string[]) {
  return spawnSync(node, [command, ...args], { encoding: 'utf8' });
}

function report(command: string, node: string, ...args: string[]) {
  return JSON.parse(run(node, command, 'tell', ...args).stdout);
}

function refusal(command: string): string {
  const { status, stdout, stderr } = run(old, command, 'tell');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  return stderr;
}

async function ready(command: string, deed: string): Promise<ChildProcess> {
  const child = started(old, [command, deed]);
  await printed(child, /ready/);
  return child;
}

// In its own session, so that no terminal interferes with the signal.
function started(program: string, args: string[]) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-Number(child.pid), 'SIGKILL');
  });
  return child;
}

async function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let output = '';
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    output += chunk;
    const found = pattern.exec(output);
    if (found) return found;
  }
  throw new Error(`${pattern} was not printed, but ${JSON.stringify(output)}`);
}

function hasTerminal(): boolean {
  return process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;
}

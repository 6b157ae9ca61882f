// `npm run check`: runs every `check:` script of package.json, one per core at a time. A passing script prints one line; a failing one all its
// output. Arguments are a command that starts as soon as a core is free and stops when a check fails: for `npm test`, the test runner, because
// checking types takes one core for as long as everything else takes the other.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

interface Outcome {
  readonly code: number;
  readonly printed: string;
  readonly seconds: number;
}

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Readonly<Record<string, string>> };
// In the order of package.json, with the slowest first.
const waiting = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const [command, ...args] = process.argv.slice(2);
const stop = new AbortController();
let failed = 0;
let following: Promise<number> | null = null;

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { code, printed, seconds } = await outcome(name);
    const verdict = code === 0 ? 'passed' : 'failed';
    console.log(`${name.padEnd(16)} ${verdict} ${seconds.toFixed(1).padStart(6)} s`);
    if (code === 0) continue;
    failed += 1;
    stop.abort();
    await following;
    console.log(printed);
  }
  if (command !== undefined && failed === 0) following ??= follow(command, args);
}

function follow(command: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: 'inherit',
      signal: stop.signal,
      shell: process.platform === 'win32',
    });
    child.once('error', (error) => (stop.signal.aborted ? null : reject(error)));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

function outcome(name: string): Promise<Outcome> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', name], { shell: process.platform === 'win32' });
    const printed: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => printed.push(chunk));
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({
        code: code ?? 1,
        printed: Buffer.concat(printed).toString('utf8'),
        seconds: (performance.now() - begun) / 1000,
      }),
    );
  });
}

await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, work));
const code = (await following) ?? 0;
process.exitCode = failed === 0 ? code : 1;

// `npm run check`: runs every `check:` script of package.json, one per core at a time. A passing script prints one line; a failing one all its
// output.
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
let failed = 0;

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { code, printed, seconds } = await outcome(name);
    if (code !== 0) failed += 1;
    const verdict = code === 0 ? 'passed' : 'failed';
    console.log(`${name.padEnd(16)} ${verdict} ${seconds.toFixed(1).padStart(6)} s`);
    if (code !== 0) console.log(printed);
  }
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
process.exitCode = failed === 0 ? 0 : 1;

// Runs every test: `npm test`, then the tests of `npm run test:system` and `npm run test:hostile` in one run, even if the first failed: neither waits
// for the last tests of the other. The last lines list failed tests and the totals. Arguments are a command that prepares what system tests need: it
// runs beside `npm test`, which needs less, and prints its output after it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closingLine, type TestCounts, type TestOutcome } from './closing-line.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The result of a part; without counts if it failed before any test ran, for example because of type errors. */
export interface PartResult {
  readonly code: number;
  readonly outcome: TestOutcome | null;
}

/** A part that failed without a failed test counts as one failure. */
export function sumOf(parts: readonly PartResult[]): TestCounts {
  const all = parts.map(({ code, outcome }): TestCounts => {
    const { passed, failed, skipped } = outcome?.counts ?? { passed: 0, failed: 0, skipped: 0 };
    return { passed, failed: code !== 0 ? Math.max(1, failed) : failed, skipped };
  });
  const total = (field: keyof TestCounts): number => all.reduce((sum, counts) => sum + counts[field], 0);
  return { passed: total('passed'), failed: total('failed'), skipped: total('skipped') };
}

/** Runs npm with these arguments; its tests write their counts to a file. */
async function runPart(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<PartResult> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-counts-'));
  const file = join(folder, 'counts.json');
  try {
    const child = spawn('npm', ['--silent', ...args], {
      cwd: root,
      env: { ...process.env, ...environment, ICECORE_TEST_COUNTS: file },
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? 1, outcome: outcomeIn(file) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Failing to prepare is one failure. */
async function prepare([command, ...args]: readonly string[]): Promise<{ result: PartResult; printed: string }> {
  const none = { counts: { passed: 0, failed: 0, skipped: 0 }, notes: [] };
  if (command === undefined) return { result: { code: 0, outcome: none }, printed: '' };
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => printed.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  const notes = code === 0 ? [] : [`failed: ${[command, ...args].join(' ')}`];
  return { result: { code: code ?? 1, outcome: { ...none, notes } }, printed: Buffer.concat(printed).toString() };
}

function outcomeIn(file: string): TestOutcome | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TestOutcome;
  } catch {
    return null;
  }
}

if (import.meta.main) {
  const preparing = prepare(process.argv.slice(2));
  const parts = [await runPart(['test'])];
  const { result, printed } = await preparing;
  process.stdout.write(printed);
  parts.push(result);
  parts.push(await runPart(['run', 'test:system'], { ICECORE_TEST_HOSTILE: '1' }));
  const notes = parts.flatMap(({ outcome }) => outcome?.notes ?? []);
  process.stdout.write(`${[...notes, closingLine(sumOf(parts))].join('\n')}\n`);
  process.exitCode = parts.every(({ code }) => code === 0) ? 0 : 1;
}

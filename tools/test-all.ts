// Runs every test: `npm test`, `npm run test:system` and `npm run test:hostile`, each even if an earlier one failed. The last lines list failed tests
// and the totals.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closingLine, type TestCounts, type TestOutcome } from './closing-line.ts';

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
function runPart(args: readonly string[]): PartResult {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-counts-'));
  const file = join(folder, 'counts.json');
  try {
    const { status } = spawnSync('npm', ['--silent', ...args], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: { ...process.env, ICECORE_TEST_COUNTS: file },
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    });
    return { code: status ?? 1, outcome: outcomeIn(file) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function outcomeIn(file: string): TestOutcome | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TestOutcome;
  } catch {
    return null;
  }
}

if (import.meta.main) {
  const parts = [['test'], ['run', 'test:system'], ['run', 'test:hostile']].map(runPart);
  const notes = parts.flatMap(({ outcome }) => outcome?.notes ?? []);
  process.stdout.write(`${[...notes, closingLine(sumOf(parts))].join('\n')}\n`);
  process.exitCode = parts.every(({ code }) => code === 0) ? 0 : 1;
}

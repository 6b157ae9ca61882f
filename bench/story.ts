// The time of a report for a long history, as a separate process. The history is generated, or the ledger that ICECORE_BENCH_LEDGER names.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RunsResult } from '../schemas/run-output.ts';
import { inFolder } from './folder.ts';
import { median } from './measure.ts';
import { Histories } from './projection/histories.ts';
import type { Report } from './report.ts';

const program = fileURLToPath(new URL('../bin/icecore.cjs', import.meta.url));
const rollouts = Number(process.env['ICECORE_BENCH_ROLLOUTS'] ?? 1_000_000);
const given = process.env['ICECORE_BENCH_LEDGER'];
const rounds = 7;
const [mostSeconds, mostMegabytes] = [5, 2];

export function storyBench(): Promise<Report[]> {
  return inFolder(async (folder) => {
    const url = given ?? (await new Histories(folder).of(rollouts)).url;
    const run = longestRun(url);
    const reports = Array.from({ length: rounds }, () => reported(url, run.run));
    const seconds = median(reports.map((one) => one.seconds));
    const bytes = Math.max(...reports.map((one) => one.bytes));
    return [
      {
        title: `a report of a run of ${run.done} stages`,
        lines: [
          {
            what: 'from the start of the process to its end',
            value: `${seconds.toFixed(2)} s`,
            target: `within ${mostSeconds} s`,
            met: seconds <= mostSeconds,
          },
          {
            what: 'the page',
            value: `${(bytes / 1e6).toFixed(2)} MB`,
            target: `within ${mostMegabytes} MB`,
            met: bytes <= mostMegabytes * 1e6,
          },
        ],
        data: { stages: run.done, seconds, bytes },
      },
    ];
  });
}

/** The run with the most stages. */
function longestRun(url: string): RunsResult['rows'][number] {
  const { rows } = JSON.parse(icecore(['runs', '--limit', '1000', '--json', '--ledger', url])) as RunsResult;
  const [first] = rows.toSorted((a, b) => b.done - a.done);
  if (first === undefined) throw new Error(`no run in ${url}`);
  return first;
}

function reported(url: string, run: string): { readonly seconds: number; readonly bytes: number } {
  const begun = performance.now();
  const page = icecore(['report', run, '--output', '-', '--ledger', url]);
  return { seconds: (performance.now() - begun) / 1000, bytes: Buffer.byteLength(page) };
}

function icecore(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`icecore ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

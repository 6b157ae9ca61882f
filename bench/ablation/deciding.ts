// The time of `icecore ablate` for decisions of six engineers with six contexts after three stages of a run as large as the demo's, and
// whether training arms use all cores. ICECORE_BENCH_LEDGER names a ledger, sqlite:PATH, whose latest run is of that size; it is written to.
// Otherwise the run is made first.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usualRun } from '../../src/cli/demo/demo.ts';
import { inFolder } from '../folder.ts';
import { median } from '../measure.ts';
import type { Report } from '../report.ts';

const program = fileURLToPath(new URL('../../bin/icecore.cjs', import.meta.url));
const reporter = new URL('./report-cpu.ts', import.meta.url).href;
const rounds = 3;
const limitSeconds = 10;
const leastBusy = 0.85;

const contexts = 'failures,stats,behaviour,failures+stats,combined,v4';
const engineers = 'rules,base,checkpoint,checkpoint@1,checkpoint@2,checkpoint@3';

export async function ablationBench(): Promise<Report[]> {
  const named = process.env['ICECORE_BENCH_LEDGER'];
  if (named !== undefined) return [reportOn(named)];
  return await inFolder(async (folder) => {
    const url = `sqlite:${join(folder, 'ledger.db')}`;
    icecore(['init', '--ledger', url], folder);
    icecore(['run', ...usualRun, '--ledger', url], folder);
    return [reportOn(url)];
  });
}

interface Took {
  readonly seconds: number;
  /** Summed over all processors. */
  readonly busy: number;
}

function reportOn(url: string): Report {
  const deciding: Took[] = [];
  const how = ['--context', contexts, '--engineer', engineers, '--decisions', '2,3,4'];
  const name = (round: number): string => `bench-${process.pid}-${round}`;
  for (let round = 0; round < rounds; round++) {
    deciding.push(icecore(['ablate', 'latest', ...how, '--name', name(round), '--json', '--ledger', url]));
  }
  const trained = [
    '--context',
    'failures,behaviour',
    '--engineer',
    'rules,checkpoint',
    '--decisions',
    '2',
    '--depth',
    'train',
  ];
  const training = icecore(['ablate', 'latest', ...trained, '--name', name(rounds), '--json', '--ledger', url]);
  const seconds = median(deciding.map((took) => took.seconds));
  return {
    title: 'icecore ablate on a run as large as the demo',
    lines: [
      {
        what: '6 contexts x 6 engineers x 3 stages decide',
        value: `${seconds.toFixed(1)} s`,
        target: `within ${limitSeconds} s`,
        met: seconds <= limitSeconds,
      },
      {
        what: `arms are trained: of ${availableParallelism()} cores, busy`,
        value: training.busy.toFixed(2),
        target: `at least ${leastBusy}`,
        met: training.busy >= leastBusy,
      },
      { what: 'which takes', value: `${training.seconds.toFixed(1)} s`, target: '', met: null },
    ],
    data: { seconds, trainingSeconds: training.seconds, busy: training.busy },
  };
}

function icecore(argv: readonly string[], cwd?: string): Took {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--import', reporter, program, ...argv], {
    ...(cwd === undefined ? {} : { cwd }),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`icecore ${argv.join(' ')} ended with ${status}: ${stderr}`);
  const seconds = (performance.now() - begun) / 1000;
  const [processors = '0'] = stderr.split('\n').slice(-1);
  return { seconds, busy: Number(processors) / seconds / availableParallelism() };
}

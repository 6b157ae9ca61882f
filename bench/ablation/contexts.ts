// What it takes to build contexts again over a long history: of ten forms after ten stages, from recorded summaries and
// from the rollouts alone, each by a process of its own; beside it the same of one form, and what the bare parts take.
// ICECORE_BENCH_RUN names a ledger that `one-run.ts` made; otherwise one is made, of as many rollouts as
// ICECORE_BENCH_ROLLOUTS says.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLake } from '../../src/lab/lake/environment.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { contextsAfter } from '../../src/producers/ablation/replay.ts';
import { formNamed } from '../../src/producers/contexts/forms.ts';
import { readHistory } from '../../src/producers/run/reading.ts';
import { inFolder } from '../folder.ts';
import { peakMiB } from '../million.ts';
import type { Line, Report } from '../report.ts';
import { makeRun, run, stages } from './one-run.ts';

const rollouts = Number(process.env['ICECORE_BENCH_ROLLOUTS'] ?? 1_000_000);
const forms = [
  'abstract',
  'v1',
  'v2',
  'v3',
  'v4',
  'v6',
  'stats',
  'behaviour',
  'stats,failures',
  'training,stats,behaviour,failures,history',
];
const tokens = 6000;
const rounds = 3;
const limits = { recordedMs: 300, addedSeconds: 15, peakMiB: 1024 };

const tasks = { recorded, added, rows, parsed };
type Task = keyof typeof tasks;

interface Taken {
  readonly milliseconds: number;
  readonly peakMiB: number;
}

export async function contextsBench(): Promise<Report[]> {
  const named = process.env['ICECORE_BENCH_RUN'];
  if (named !== undefined) return [reportOn(named)];
  return await inFolder(async (folder) => {
    const url = `sqlite:${join(folder, 'run.db')}`;
    await makeRun(url, rollouts);
    return [reportOn(url)];
  });
}

function reportOn(url: string): Report {
  const ten = { recorded: best('recorded', url, forms.length), added: best('added', url, forms.length) };
  const one = { recorded: best('recorded', url, 1), added: best('added', url, 1) };
  const bare = { rows: best('rows', url, 0), parsed: best('parsed', url, 0) };
  return {
    title: `${forms.length} forms of context after ${stages} stages over ${rollouts.toLocaleString('en')} rollouts`,
    lines: [
      held(
        'from recorded summaries',
        inMs(ten.recorded),
        `under ${limits.recordedMs} ms`,
        ten.recorded.milliseconds < limits.recordedMs,
      ),
      held(
        'from rollouts alone',
        inSeconds(ten.added),
        `under ${limits.addedSeconds} s`,
        ten.added.milliseconds < 1000 * limits.addedSeconds,
      ),
      held(
        'its peak memory',
        `${ten.added.peakMiB} MiB`,
        `under ${limits.peakMiB} MiB`,
        ten.added.peakMiB < limits.peakMiB,
      ),
      plain('one form, from recorded summaries', inMs(one.recorded)),
      plain('one form, from rollouts alone', inSeconds(one.added)),
      plain('bare: the rows of the evidence, one thread', inSeconds(bare.rows)),
      plain('bare: and each of them parsed, one thread', inSeconds(bare.parsed)),
    ],
    data: { ten, one, bare },
  };
}

/** The quickest of some: what else a machine does takes time, and gives none. */
function best(task: Task, url: string, count: number): Taken {
  const own = fileURLToPath(import.meta.url);
  const taken = Array.from({ length: rounds }, () => {
    const said = execFileSync(process.execPath, [own, task, url, String(count)], { encoding: 'utf8' });
    return JSON.parse(said) as Taken;
  });
  return taken.reduce((least, one) => (one.milliseconds < least.milliseconds ? one : least));
}

const inMs = ({ milliseconds }: Taken): string => `${Math.round(milliseconds)} ms`;
const inSeconds = ({ milliseconds }: Taken): string => `${(milliseconds / 1000).toFixed(1)} s`;

function held(what: string, value: string, target: string, met: boolean): Line {
  return { what, value, target, met };
}

function plain(what: string, value: string): Line {
  return { what, value, target: '', met: null };
}

async function recorded(url: string, count: number): Promise<void> {
  await contexts(url, count, false);
}

async function added(url: string, count: number): Promise<void> {
  await contexts(url, count, true);
}

/** From opening the ledger to the last byte. */
async function contexts(url: string, count: number, isUnsummed: boolean): Promise<void> {
  const ledger = await openLedger(url, { readOnly: true });
  const environment = openLake();
  const history = await readHistory(ledger, run);
  const unsummed = { ...history, stages: history.stages.map((stage) => ({ ...stage, summaries: [] })) };
  const sights = forms.slice(0, count).map((form) => ({ form: formNamed(form), budget: tokens }));
  const after = Array.from({ length: stages }, (_, i) => i + 1);
  const textOf = async (text: { text: string } | { blob: string }) => ('text' in text ? text.text : null);
  await contextsAfter(isUnsummed ? unsummed : history, after, sights, { ledger, environment, textOf });
  await environment.close();
  await ledger.close();
}

async function rows(url: string): Promise<void> {
  await evidence(url, (body) => body.length);
}

async function parsed(url: string): Promise<void> {
  await evidence(url, (body) => (JSON.parse(body) as { readonly revision: number }).revision);
}

async function evidence(url: string, look: (body: string) => number): Promise<void> {
  const ledger = await openLedger(url, { readOnly: true });
  for await (const ends of ledger.streams(`evidence-${run}-`)) {
    for (const { stream } of ends) {
      for await (const events of ledger.read(stream)) for (const { body } of events) look(body);
    }
  }
  await ledger.close();
}

const [, program, task, url, count] = process.argv;
if (program?.endsWith('contexts.ts') && url !== undefined && task !== undefined && task in tasks) {
  const begun = performance.now();
  await tasks[task as Task](url, Number(count));
  const milliseconds = Math.round(10 * (performance.now() - begun)) / 10;
  console.log(JSON.stringify({ milliseconds, peakMiB: peakMiB() } satisfies Taken));
}

// Rebuilding contexts of a long history: ten forms after every stage with a decision, from recorded summaries and from rollouts alone, each in
// a separate process; for comparison one form, and the underlying operations. ICECORE_BENCH_LEDGER names an existing ledger, sqlite:PATH, whose
// run with the most decisions is used; otherwise a run of ten stages with ICECORE_BENCH_ROLLOUTS rollouts is generated.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLedger } from '../../src/ledger/open.ts';
import { contextsAfter } from '../../src/producers/ablation/testing/contexts.ts';
import { formNamed } from '../../src/producers/contexts/forms.ts';
import { readHistory } from '../../src/producers/history/reading.ts';
import type { RunHistory } from '../../src/producers/history/run-history.ts';
import { openLake } from '../../testbed/lake/environment.ts';
import { inFolder } from '../folder.ts';
import { peakMiB } from '../million.ts';
import type { Line, Report } from '../report.ts';
import { makeRun } from './one-run.ts';

const rollouts = Number(process.env['ICECORE_BENCH_ROLLOUTS'] ?? 1_000_000);
const forms = [
  'combined',
  'v1',
  'v2',
  'v3',
  'v4',
  'v6',
  'stats',
  'behaviour',
  'stats+failures',
  'training+stats+behaviour+failures+history',
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
  const named = process.env['ICECORE_BENCH_LEDGER'];
  if (named !== undefined) return [reportOn(await longestIn(named))];
  return await inFolder(async (folder) => {
    const url = `sqlite:${join(folder, 'run.db')}`;
    await makeRun(url, rollouts);
    return [reportOn(await longestIn(url))];
  });
}

interface Subject {
  readonly url: string;
  readonly run: string;
  readonly stages: number;
  /** Number of events in its evidence. */
  readonly events: number;
}

async function longestIn(url: string): Promise<Subject> {
  const ledger = await openLedger(url, { readOnly: true });
  const subjects: Subject[] = [];
  for await (const events of ledger.readAll({ types: ['RunStarted'] })) {
    for (const { envelope } of events) {
      const history = await readHistory(ledger, envelope.run ?? '');
      const attempts = history.stages.flatMap(({ sealed }) => sealed?.data.attempts ?? []);
      const count = attempts.reduce((sum, one) => sum + one.count, 0);
      subjects.push({ url, run: history.run, stages: decidedAfter(history).length, events: count });
    }
  }
  await ledger.close();
  const [longest] = subjects.sort((a, b) => b.stages - a.stages || b.events - a.events);
  if (longest === undefined) throw new Error(`${url} contains no run`);
  return longest;
}

function reportOn(subject: Subject): Report {
  const { stages, events } = subject;
  const ten = { recorded: best('recorded', subject, forms.length), added: best('added', subject, forms.length) };
  const one = { recorded: best('recorded', subject, 1), added: best('added', subject, 1) };
  const bare = { rows: best('rows', subject, 0), parsed: best('parsed', subject, 0) };
  return {
    title: `${forms.length} forms of context after ${stages} stages over ${events.toLocaleString('en')} events of evidence`,
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
    data: { stages, events, ten, one, bare },
  };
}

/** The fastest of several rounds: other work on the machine only adds time. */
function best(task: Task, { url, run }: Subject, count: number): Taken {
  const own = fileURLToPath(import.meta.url);
  const taken = Array.from({ length: rounds }, () => {
    const said = execFileSync(process.execPath, [own, task, url, run, String(count)], { encoding: 'utf8' });
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

async function recorded(url: string, run: string, count: number): Promise<void> {
  await contexts(url, run, count, false);
}

async function added(url: string, run: string, count: number): Promise<void> {
  await contexts(url, run, count, true);
}

/** From opening the ledger to the last byte. */
async function contexts(url: string, run: string, count: number, isUnsummed: boolean): Promise<void> {
  const ledger = await openLedger(url, { readOnly: true });
  const environment = openLake();
  const history = await readHistory(ledger, run);
  const unsummed = { ...history, stages: history.stages.map((stage) => ({ ...stage, summaries: [] })) };
  const sights = forms.slice(0, count).map((form) => ({ form: formNamed(form), budget: tokens, without: [] }));
  const after = decidedAfter(history);
  const idOf = (stage: number, module: string): string => `${stage} ${module}`;
  const textOf = async (text: { text: string } | { blob: string }) => ('text' in text ? text.text : null);
  await contextsAfter(isUnsummed ? unsummed : history, after, sights, { ledger, environment, textOf, idOf });
  await environment.close();
  await ledger.close();
}

/** The stages followed by a decision. */
function decidedAfter({ stages }: RunHistory): readonly number[] {
  return stages.flatMap(({ stage, adopted }) => (adopted === null ? [] : [stage]));
}

async function rows(url: string, run: string): Promise<void> {
  await evidence(url, run, (body) => body.length);
}

async function parsed(url: string, run: string): Promise<void> {
  await evidence(url, run, (body) => (JSON.parse(body) as { readonly revision: number }).revision);
}

async function evidence(url: string, run: string, look: (body: string) => number): Promise<void> {
  const ledger = await openLedger(url, { readOnly: true });
  for await (const ends of ledger.streams(`evidence-${run}-`)) {
    for (const { stream } of ends) {
      for await (const events of ledger.read(stream)) for (const { body } of events) look(body);
    }
  }
  await ledger.close();
}

const [, program, task, url, run, count] = process.argv;
if (program?.endsWith('contexts.ts') && url !== undefined && run !== undefined && task !== undefined && task in tasks) {
  const begun = performance.now();
  await tasks[task as Task](url, run, Number(count));
  const milliseconds = Math.round(10 * (performance.now() - begun)) / 10;
  console.log(JSON.stringify({ milliseconds, peakMiB: peakMiB() } satisfies Taken));
}

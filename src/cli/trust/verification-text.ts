// A verification for people: counts, findings, and what was recomputed.
import type { VerifyReport } from '../../../schemas/output.ts';
import { escapeControls } from '../../base/escape.ts';
import { count, counted, duration, size } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { table } from '../../document/layout.ts';
import type { Context } from '../context.ts';

/** The verdict first. Without `verbose`, a screenful of findings, with equal notices in one line. */
export async function printVerification(context: Context, report: VerifyReport, verbose: boolean): Promise<void> {
  const { rows, faults, total, head, run, events } = report;
  const { paint } = context;
  const lines = verbose ? sorted(rows).map((row) => [row] satisfies Line) : merged(sorted(rows));
  const shown = verbose ? lines : lines.slice(0, mostLines);
  const left = total - shown.flat().length;
  await context.print(`${verdict(report, paint)}\n${escapeControls(summary(report))}\n`);
  if (report.recomputed !== null) await context.print(`${recomputedLine(report.recomputed)}\n`);
  if (report.shared !== null) await context.print(`${escapeControls(sharedLine(report.shared))}\n`);
  if (head !== null && faults === 0) await context.print(`${escapeControls(headLine(head))}\n`);
  await context.print(listing(context, shown));
  if (left > 0) {
    const hint = shown.length < lines.length ? ': --verbose' : '';
    await context.print(`… and ${counted(left, 'more finding', 'more findings')}${hint}\n`);
  }
  if (head === null && run === null && events > 0) await context.print(withoutHead);
  if (head !== null && head.signedBy === null)
    await context.say('The head is not signed: trust it as far as the place where it was kept.');
  if (head?.signedBy && !head.trusted)
    await context.say('Name the public key that you trust with --key, so that no other key passes.');
}

const mostLines = 12;

type Row = VerifyReport['rows'][number];
type Line = [Row, ...Row[]];

function verdict(report: VerifyReport, paint: Context['paint']): string {
  const { faults, status, recomputed } = report;
  if (faults > 0) return paint.red(`NOT sound: ${counted(faults, 'fault')}`);
  if (status === 'sound') return paint.green(`sound: ${soundness(report)}`);
  return `unsupported: nothing is wrong, but nothing proves the figures of ${counted(recomputed?.unsupported ?? 0, 'event')}, for the reasons listed`;
}

function soundness({ recomputed }: VerifyReport): string {
  return recomputed === null
    ? 'every event is as it was recorded'
    : 'every event is as it was recorded, and recomputing gives the same results';
}

const withoutHead = `
This check finds damage and accidental changes.
Somebody who can write the file can forge it consistently or cut off its end.
To detect that, keep the output of icecore ledger head elsewhere and pass it with --head.
`;

function summary({ events, bytes, blobs, attempts, opaque, seconds, perSecond, run }: VerifyReport): string {
  const parts = [
    `${counted(events, 'event')}${run === null ? '' : ` of run ${run}`} (${size(bytes)}), every field except recordedAt, the time of recording`,
    attempts > 0 ? `${counted(attempts, 'seal')} (digests, each over some rollouts of a stage)` : '',
    blobs > 0 ? `${counted(blobs, 'reference')} to files beside the events (blobs)` : '',
    opaque > 0 ? `${count(opaque)} of unknown types` : '',
    `${duration(seconds)}, ${count(perSecond)}/s`,
  ];
  return `checked ${parts.filter((part) => part !== '').join('; ')}`;
}

function recomputedLine(again: NonNullable<VerifyReport['recomputed']>): string {
  const {
    runs,
    rollouts,
    trainings,
    evaluations,
    summaries,
    contexts,
    proposals,
    answers,
    decisions,
    skipped,
    seconds,
    rolloutsPerSecond,
  } = again;
  const parts = [
    counted(rollouts, 'rollout'),
    ...(trainings === 0 ? [] : [`the figures of ${counted(trainings, 'training')}`]),
    ...(evaluations === 0 ? [] : [counted(evaluations, 'evaluation')]),
    counted(summaries, 'summary', 'summaries'),
    counted(contexts, 'context'),
    counted(proposals, 'proposal'),
    ...(answers === 0 ? [] : [counted(answers, 'answer of a model', 'answers of models')]),
    counted(decisions, 'other event'),
  ];
  const not =
    skipped === 0
      ? ''
      : `; ${counted(skipped, 'other rollout or result', 'other rollouts and results')} could not be recomputed`;
  const pace = `${duration(seconds)}, ${count(rolloutsPerSecond)} rollouts/s`;
  return `recomputed ${parts.join(', ')} of ${counted(runs, 'run')}${not}; ${pace}`;
}

function headLine({ at, events, signedBy }: NonNullable<VerifyReport['head']>): string {
  const by = signedBy === null ? '' : `, signed by ${signedBy}`;
  if (events === 0)
    return `the head of ${at} (0 events${by}) proves nothing: it was printed before the first event; keep a newer one`;
  return `nothing was altered, reordered or cut off since the head of ${at} (${counted(events, 'event')}${by})`;
}

function sharedLine({ name, stages }: NonNullable<VerifyReport['shared']>): string {
  const which = stages === 1 ? 'stage 1' : `stages 1 to ${stages}`;
  return `not checked: ${which}, which it shares with ${name}: icecore verify ${shellWord(name)}`;
}

/** Faults first. */
function sorted(rows: VerifyReport['rows']): VerifyReport['rows'] {
  return rows.toSorted((a, b) => Number(b.fault) - Number(a.fault));
}

/** Every fault is a line of its own; notices that say the same share one. */
function merged(rows: VerifyReport['rows']): Line[] {
  const lines = new Map<string | Row, Line>();
  for (const row of rows) {
    const key = row.fault ? row : `${row.kind} ${row.says}`;
    const line = lines.get(key);
    if (line === undefined) lines.set(key, [row]);
    else line.push(row);
  }
  return [...lines.values()];
}

function listing({ paint, io }: Context, lines: readonly Line[]): string {
  const columns = [
    { title: '', paint: (text: string) => (text.startsWith('notice') ? paint.dim(text) : paint.red(text)) },
    { title: 'kind' },
    { title: 'stream@position' },
    { title: 'finding' },
  ];
  const cells = lines.map(([{ kind, fault, where, says }, ...others]) => [
    fault ? 'FAULT' : 'notice',
    kind,
    `${escapeControls(where)}${others.length === 0 ? '' : ` and ${others.length} more`}`,
    escapeControls(says),
  ]);
  return cells.length === 0 ? '' : table(columns, cells, io.stdout);
}

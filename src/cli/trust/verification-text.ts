// A verification for people: counts, findings, and what was recomputed.
import type { VerifyReport } from '../../../schemas/output.ts';
import { escapeControls } from '../../base/escape.ts';
import { count, counted, duration, size } from '../../base/quantity.ts';
import { table } from '../../document/layout.ts';
import type { Context } from '../context.ts';

export async function tellVerification(context: Context, report: VerifyReport): Promise<void> {
  const { rows, faults, total, head, run, events } = report;
  await context.print(`${escapeControls(summary(report))}\n`);
  if (report.recomputed !== null) await context.print(`${recomputedLine(report.recomputed)}\n`);
  await context.print(listing(context, rows));
  if (rows.length < total)
    await context.print(`… and ${counted(total - rows.length, 'more finding', 'more findings')}\n`);
  const { paint } = context;
  await context.print(`${verdict(report, paint)}\n`);
  if (head !== null && faults === 0) await context.print(`${escapeControls(headLine(head))}\n`);
  if (head === null && run === null && events > 0) for (const line of withoutHead) await context.hint(line);
  if (head !== null && head.signedBy === null)
    await context.say('the head is not signed: trust it as far as the place it was kept');
  if (head?.signedBy && !head.trusted)
    await context.say('name the public key you trust with --key, so that no other will do');
}

function verdict(report: VerifyReport, paint: Context['paint']): string {
  const { faults, status, recomputed } = report;
  if (faults > 0) return paint.red(`NOT sound: ${counted(faults, 'fault')}`);
  if (status === 'sound') return paint.green(`sound: ${soundness(report)}`);
  return `unsupported: nothing is wrong, and nothing vouches for ${counted(recomputed?.unsupported ?? 0, 'figure', 'figures')}: rollouts are not recorded, not sealed or not judged again`;
}

function soundness({ recomputed }: VerifyReport): string {
  return recomputed === null
    ? 'nothing is wrong'
    : 'nothing is wrong, and what was computed again is what was recorded';
}

const withoutHead = [
  'without a head, this tells of damage and of careless changes only: whoever can write the file can rewrite all of it',
  'consistently, or cut off its end. Keep elsewhere what icecore ledger head prints, and give it with --head',
];

function summary({ events, bytes, blobs, attempts, opaque, seconds, perSecond, run }: VerifyReport): string {
  const parts = [
    `${counted(events, 'event')}${run === null ? '' : ` of run ${run}`} (${size(bytes)})`,
    attempts > 0 ? `${counted(attempts, 'sealed attempt')}` : '',
    blobs > 0 ? `${counted(blobs, 'mention')} of blobs` : '',
    opaque > 0 ? `${count(opaque)} of types not known here` : '',
    `${duration(seconds)}, ${count(perSecond)}/s`,
  ];
  return `verified ${parts.filter((part) => part !== '').join('; ')}`;
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
    decisions,
    skipped,
    seconds,
    rolloutsPerSecond,
  } = again;
  const parts = [
    counted(rollouts, 'rollout'),
    ...(trainings === 0 ? [] : [counted(trainings, 'training')]),
    ...(evaluations === 0 ? [] : [counted(evaluations, 'evaluation')]),
    counted(summaries, 'summary', 'summaries'),
    counted(contexts, 'context'),
    counted(proposals, 'proposal'),
    counted(decisions, 'decision'),
  ];
  const not = skipped === 0 ? '' : `; ${count(skipped)} could not be`;
  const pace = `${duration(seconds)}, ${count(rolloutsPerSecond)} rollouts/s`;
  return `computed again ${parts.join(', ')} of ${counted(runs, 'run')}${not}; ${pace}`;
}

function headLine({ at, events, signedBy }: NonNullable<VerifyReport['head']>): string {
  const by = signedBy === null ? '' : `, signed by ${signedBy}`;
  return `nothing was altered, reordered or cut off since the head of ${at} (${counted(events, 'event')}${by})`;
}

function listing({ paint, io }: Context, rows: VerifyReport['rows']): string {
  const sorted = [...rows].sort((a, b) => Number(b.fault) - Number(a.fault));
  const columns = [
    { title: '', paint: (text: string) => (text.startsWith('notice') ? paint.dim(text) : paint.red(text)) },
    { title: '' },
    { title: '' },
    { title: '' },
  ];
  const cells = sorted.map(({ kind, fault, where, says }) => [
    fault ? 'FAULT' : 'notice',
    kind,
    escapeControls(where),
    escapeControls(says),
  ]);
  return cells.length === 0 ? '' : table(columns, cells, io.stdout);
}

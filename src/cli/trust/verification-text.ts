// A verification for people: counts, findings, tables, and what was recomputed.

import { IcecoreError } from '../../../schemas/errors.ts';
import type { VerifyReport } from '../../../schemas/output.ts';
import { completion } from '../../analysis/ablation/conclude.ts';
import { table } from '../../analysis/document/layout.ts';
import { count, counted, duration, size } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import type { AllowProgram } from '../../lab/programs/program.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { Findings, type FindingsState } from '../../ledger/verify/findings.ts';
import type { Verification } from '../../ledger/verify/verify.ts';
import { ProgramGate, type ProgramOptions, programsNamedBy } from '../../library/consent/programs.ts';
import { blobsUrl, OpenedBlobs } from '../../library/opening/blobs.ts';
import { withLedgerToRead } from '../../library/opening/ledger.ts';
import { tablesFolder, tablesTrust } from '../../library/opening/tables.ts';
import { type Recomputed, recompute } from '../../producers/recompute/recompute.ts';
import { textReader } from '../../producers/run/question.ts';
import type { TablesFault } from '../../projections/verification.ts';
import type { Context } from '../context.ts';
import { Progress } from '../output/progress.ts';

export interface ComputedAgain {
  /** Null where what is recorded cannot be read. */
  readonly told: VerifyReport['recomputed'];
  /** With those of the verification. */
  readonly findings: FindingsState;
}

/** Where such a thing is wrong, what would be computed would be computed from something else. */
const unreadable: readonly string[] = ['altered', 'misfiled', 'malformed', 'missing', 'unreadable', 'store'];

/** As many are shown; the rest is counted. */
const keptFindings = 1000;

export async function computedAgain(
  context: Context,
  run: string | null,
  { findings: before, total, faults }: Verification,
  options: ProgramOptions,
): Promise<ComputedAgain> {
  const findings = new Findings(keptFindings);
  findings.join({ kept: before, total, faults });
  if (before.some(({ kind }) => unreadable.includes(kind))) {
    const says = 'nothing was computed again: what is recorded is not what was written';
    findings.add({ kind: 'not-recomputed', where: 'ledger', event: null, says });
    return { told: null, findings: findings.toJSON() };
  }
  const started = performance.now();
  const again = await recomputed(context, run, options);
  const seconds = (performance.now() - started) / 1000;
  findings.join(again.findings);
  const { runs, counts, skipped, unsupported } = again;
  const rolloutsPerSecond = seconds > 0 ? Math.round(counts.rollouts / seconds) : 0;
  const told = { runs, ...counts, unsupported, skipped, seconds: Number(seconds.toFixed(3)), rolloutsPerSecond };
  return { told, findings: findings.toJSON() };
}

/** Looking runs no program: only --programs has the environments of runs judge again. */
async function allowedIn(context: Context, ledger: Ledger, options: ProgramOptions): Promise<AllowProgram | null> {
  if (options.programs !== true) return null;
  const gate = new ProgramGate(context.session, options);
  const named = await programsNamedBy(ledger, context.io);
  gate.require(
    ledger,
    named.filter(({ role }) => role === 'environment'),
  );
  return gate.allow;
}

async function recomputed(context: Context, run: string | null, options: ProgramOptions): Promise<Recomputed> {
  const { signal } = context;
  const blobs = new OpenedBlobs(blobsUrl(context.session));
  const progress = new Progress(context, 'events of evidence');
  try {
    return await withLedgerToRead(context.session, async (ledger) =>
      recompute({
        ledger,
        textOf: textReader(() => blobs.toRead()),
        run,
        allow: await allowedIn(context, ledger, options),
        conclude: completion,
        signal,
        onProgress: (done, of) => progress.update({ done, of }),
      }),
    );
  } finally {
    await progress.end();
    await blobs.close();
  }
}

/** What was found in the ledger, and what is found of its tables. */
export async function withTables(context: Context, found: FindingsState, isCompared: boolean): Promise<FindingsState> {
  const findings = new Findings(keptFindings);
  findings.join(found);
  for (const { kind, where, says } of await faultsUnlessUnreadable(context, isCompared, found)) {
    // Who asks whether the tables are right wants to know it by the exit code; otherwise they are made anew by themselves.
    const as = isCompared || kind === 'differ' ? 'tables-differ' : (`tables-${kind}` as const);
    findings.add({ kind: as, where, event: null, says });
  }
  return findings.toJSON();
}

/** Of a ledger that cannot be read as a whole, it is known by now what is wrong with it. */
async function faultsUnlessUnreadable(
  context: Context,
  isCompared: boolean,
  found: FindingsState,
): Promise<readonly TablesFault[]> {
  try {
    return await tablesFaults(context, isCompared);
  } catch (error) {
    if (!(error instanceof IcecoreError) || error.kind !== 'damaged' || found.faults === 0) throw error;
    await context.say('the tables were not compared with the ledger, which cannot be read as a whole');
    return [];
  }
}

async function tablesFaults(context: Context, isCompared: boolean): Promise<readonly TablesFault[]> {
  const { lookAtTables, verifyTables } = await import('../../projections/verification.ts');
  const { io, signal } = context;
  const trust = tablesTrust(io);
  return await withLedgerToRead(context.session, async (ledger) => {
    const folder = tablesFolder(io, ledger);
    if (!isCompared) return (await lookAtTables(ledger, folder, { trust, signal }))?.faults ?? [];
    const { events: of } = await ledger.head();
    const progress = new Progress(context, 'events in tables');
    try {
      const onProgress = (done: number): void => void progress.update({ done, of });
      const verified = await verifyTables(ledger, folder, { trust, signal, onProgress });
      await progress.end();
      if (verified === null) await context.hint('there are no tables to compare: icecore sql makes them');
      else if (verified.compared > 0)
        await context.say(`compared ${counted(verified.compared, 'table')} in ${verified.path}`);
      return verified?.faults ?? [];
    } finally {
      await progress.end();
    }
  });
}

export async function tellVerification(context: Context, report: VerifyReport): Promise<void> {
  const { rows, faults, total, head, run, events } = report;
  await context.print(`${visible(summary(report))}\n`);
  if (report.recomputed !== null) await context.print(`${recomputedLine(report.recomputed)}\n`);
  await context.print(listing(context, rows));
  if (rows.length < total)
    await context.print(`… and ${counted(total - rows.length, 'more finding', 'more findings')}\n`);
  const { paint } = context;
  await context.print(`${verdict(report, paint)}\n`);
  if (head !== null && faults === 0) await context.print(`${visible(headLine(head))}\n`);
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
    visible(where),
    visible(says),
  ]);
  return cells.length === 0 ? '' : table(columns, cells, io.stdout);
}

// What is computable from earlier events, computed again, for `icecore verify`.
import type { VerifyReport } from '../../../schemas/output.ts';
import { completion } from '../../analysis/ablation/conclude.ts';
import type { AllowProgram } from '../../lab/programs/program.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { Findings, type FindingsState } from '../../ledger/verify/findings.ts';
import type { Verification } from '../../ledger/verify/verify.ts';
import { type Recomputed, recompute } from '../../producers/recompute/recompute.ts';
import { textReader } from '../../producers/run/texts.ts';
import { blobsUrl, OpenedBlobs } from '../blobs.ts';
import { ProgramGate, type ProgramOptions, programsNamedBy } from '../consent/programs.ts';
import type { Context } from '../context.ts';
import { withLedgerToRead } from '../ledger.ts';
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
  const gate = new ProgramGate(context, options);
  const named = await programsNamedBy(ledger, context.io);
  gate.require(
    ledger,
    named.filter(({ role }) => role === 'environment'),
  );
  return gate.allow;
}

async function recomputed(context: Context, run: string | null, options: ProgramOptions): Promise<Recomputed> {
  const { signal } = context;
  const blobs = new OpenedBlobs(blobsUrl(context));
  const progress = new Progress(context, 'events of evidence');
  try {
    return await withLedgerToRead(context, async (ledger) =>
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

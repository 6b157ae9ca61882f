// `verify`: checks that the ledger is what was written to it: its events, its seals, and a stored head; on request also recomputed
// results and the SQL tables.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { VerifyReport } from '../../../schemas/output.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { completion } from '../../analysis/ablation/conclude.ts';
import { unrecordedOf } from '../../analysis/history/settings.ts';
import { escapeControls } from '../../base/escape.ts';
import { counted } from '../../base/quantity.ts';
import type { AllowProgram } from '../../lab/programs/program.ts';
import { isAway } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findRun } from '../../ledger/runs.ts';
import { Findings, type FindingsState, isFault } from '../../ledger/verify/findings.ts';
import { type Interrupted, type Verification, verifyLedger as verifyStore } from '../../ledger/verify/verify.ts';
import { type Recomputed, recompute } from '../../producers/recompute/recompute.ts';
import { textReader } from '../../producers/run/question.ts';
import type { TablesFault } from '../../projections/verification.ts';
import { ProgramGate, type ProgramOptions, programsNamedBy } from '../consent/programs.ts';
import { blobsUrl, OpenedBlobs } from '../opening/blobs.ts';
import { advisingIfMissing, noticingWaits, withLedgerToRead } from '../opening/ledger.ts';
import { tablesFolder, tablesTrust } from '../opening/tables.ts';
import { findPlace, localTo } from '../place/place.ts';
import { noticeUnusedConfig } from '../place/unused-config.ts';
import { runNamed } from '../run-named.ts';
import { type Session, SessionProgress } from '../session.ts';
import { type GivenHead, type KeptHead, keptHead, Notebook } from './notes.ts';

/** What to verify, and how thoroughly. */
export interface VerifyOptions extends ProgramOptions {
  /** A name, a prefix, an identity or `latest` (default: everything). */
  readonly run?: string;
  /** A head that was stored elsewhere: nothing before it may differ. */
  readonly head?: GivenHead;
  /** Resume a stopped verification of everything. */
  readonly resume?: boolean;
  /** Judge rollouts again, recompute aggregates, and compare. */
  readonly recompute?: boolean;
  /** Rebuild the tables and compare them. */
  readonly tables?: boolean;
}

export async function verify(session: Session, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { run: named, head, resume = false, recompute: isComputed = false, tables = false } = options;
  const kept = head === undefined ? null : keptHead(head);
  const of =
    named === undefined ? null : await withLedgerToRead(session, (ledger) => runToVerify(session, ledger, named));
  const run = of?.run ?? null;
  const started = performance.now();
  const found = await verifyEvents(session, run, kept, resume);
  const seconds = (performance.now() - started) / 1000;
  const again = isComputed ? await computeAgain(session, run, found, options) : null;
  const before = again?.findings ?? { kept: found.findings, total: found.total, faults: found.faults };
  const findings = run === null ? await withTables(session, before, tables) : before;
  return reportOf(found, { session, run, shared: of?.shared ?? null, kept, seconds, again, findings });
}

async function runToVerify(
  session: Session,
  ledger: Ledger,
  named: string,
): Promise<Pick<Circumstances, 'run' | 'shared'>> {
  const { run } = await runNamed(session, ledger, named);
  try {
    return { run, shared: await sharedBy(ledger, run) };
  } catch (error) {
    // What is damaged is reported by the verification itself.
    if (error instanceof IcecoreError && error.kind === 'damaged') return { run, shared: null };
    throw error;
  }
}

/** The run whose first stages a fork shares. */
async function sharedBy(ledger: Ledger, run: string): Promise<VerifyReport['shared']> {
  for await (const [first] of ledger.read(streamOf.run(run), { limit: 1 })) {
    const reading = first?.reading;
    if (reading?.known !== true || reading.type !== 'RunStarted' || reading.data.parent === undefined) return null;
    const { run: parent, stage } = reading.data.parent;
    const found = await findRun(ledger, parent).catch(() => null);
    return { run: parent, name: found?.name ?? parent, stages: stage };
  }
  return null;
}

async function verifyEvents(
  session: Session,
  run: string | null,
  kept: KeptHead | null,
  isResumed: boolean,
): Promise<Verification> {
  const place = findPlace(session);
  await noticeUnusedConfig(session, place);
  const notebook = run === null ? new Notebook(localTo(place).verification, session) : null;
  const from = isResumed && notebook !== null ? await goneBefore(session, notebook, kept) : null;
  const progress = new SessionProgress(session, 'events');
  const { eventTypes: types } = await session.plugins.atHand();
  try {
    const found = await advisingIfMissing(session, place, () =>
      verifyStore(place.ledger.url, {
        blobs: blobsUrl(session),
        run,
        head: kept?.head ?? null,
        signal: session.signal,
        onWait: noticingWaits(session),
        types,
        onProgress: ({ events }, of) => progress.update(events, of),
        ...(notebook === null ? {} : { from, onState: async (state) => notebook.note(state) }),
      }),
    );
    notebook?.discard();
    return found;
  } catch (error) {
    await progress.end();
    if (isAway(error)) notebook?.keep();
    if ((session.signal.aborted || isAway(error)) && notebook?.isKept === true) {
      await session.notify({
        kind: 'hint',
        text: 'stopped; to continue: icecore verify --resume, with the same --head if you used one',
      });
    }
    throw error;
  } finally {
    await progress.end();
  }
}

async function goneBefore(session: Session, notebook: Notebook, kept: KeptHead | null): Promise<Interrupted> {
  const ledger = await withLedgerToRead(session, async ({ id }) => id);
  return notebook.read({ ledger, head: kept?.head.root ?? null });
}

interface Circumstances {
  readonly session: Session;
  readonly run: string | null;
  readonly shared: VerifyReport['shared'];
  readonly kept: KeptHead | null;
  readonly seconds: number;
  readonly again: ComputedAgain | null;
  readonly findings: FindingsState;
}

function reportOf(
  found: Verification,
  { session, run, shared, kept, seconds, again, findings: all }: Circumstances,
): VerifyReport {
  const { tally, attempts } = found;
  const { kept: findings, total, faults } = all;
  const { at, events, root } = kept?.head ?? { at: '', events: 0, root: '' };
  return {
    status: faults > 0 ? 'faulty' : (again?.report?.unsupported ?? 0) > 0 ? 'unsupported' : 'sound',
    ledger: findPlace(session).ledger.url,
    ledgerId: found.ledger,
    run,
    shared,
    ...tally,
    attempts,
    head: kept === null ? null : { at, events, root, signedBy: kept.signedBy, trusted: kept.isTrusted },
    recomputed: again?.report ?? null,
    faults,
    seconds: Number(seconds.toFixed(3)),
    perSecond: seconds > 0 ? Math.round(tally.events / seconds) : 0,
    as_of: new Date().toISOString(),
    total,
    rows: findings.map((finding) => ({ ...finding, fault: isFault(finding) })),
    truncated: findings.length < total,
  };
}

interface Recording {
  readonly name: string;
  readonly options?: unknown;
  readonly trainings: { readonly stage: number; readonly rollouts: readonly unknown[] }[];
}

/** Runs that leave rollouts out, whose results therefore cannot be recomputed. */
export async function partlyRecorded(session: Session, run: string | null): Promise<readonly string[]> {
  const streams = run === null ? {} : { streams: [streamOf.run(run)] };
  return await withLedgerToRead(session, async (ledger) => {
    const runs = new Map<string, Recording>();
    for await (const events of ledger.readAll({ types: ['RunStarted', 'TrainingRecorded'], ...streams })) {
      for (const { reading, envelope, stream } of events) {
        if (!reading.known) continue;
        if (reading.type === 'RunStarted') runs.set(stream, { ...reading.data, trainings: [] });
        if (reading.type !== 'TrainingRecorded') continue;
        const rollouts = envelope.causes.filter((cause) => 'stream' in cause);
        runs.get(stream)?.trainings.push({ stage: envelope.stage ?? 0, rollouts });
      }
    }
    return [...runs.values()].flatMap(({ name, options, trainings }) => {
      const what = unrecordedOf(options, trainings);
      return what === null ? [] : [escapeControls(`${name}: ${what}`)];
    });
  });
}

interface ComputedAgain {
  /** Null if the records cannot be read. */
  readonly report: VerifyReport['recomputed'];
  /** Including those of the verification. */
  readonly findings: FindingsState;
}

/** With such findings, recomputing would start from wrong data. */
const unreadable: readonly string[] = ['altered', 'misfiled', 'malformed', 'missing', 'unreadable', 'store'];

/** The maximum number of findings that are kept; the rest is counted. */
const keptFindings = 1000;

async function computeAgain(
  session: Session,
  run: string | null,
  { findings: before, total, faults }: Verification,
  options: ProgramOptions,
): Promise<ComputedAgain> {
  const findings = new Findings(keptFindings);
  findings.join({ kept: before, total, faults });
  if (before.some(({ kind }) => unreadable.includes(kind))) {
    const says = 'nothing was recomputed: the recorded data is damaged';
    findings.add({ kind: 'not-recomputed', where: 'ledger', event: null, says });
    return { report: null, findings: findings.toJSON() };
  }
  const started = performance.now();
  const again = await recomputed(session, run, options);
  const seconds = (performance.now() - started) / 1000;
  findings.join(again.findings);
  const { runs, counts, skipped, unsupported } = again;
  const rolloutsPerSecond = seconds > 0 ? Math.round(counts.rollouts / seconds) : 0;
  const report = { runs, ...counts, unsupported, skipped, seconds: Number(seconds.toFixed(3)), rolloutsPerSecond };
  return { report, findings: findings.toJSON() };
}

/** Verification runs no program by default: only --programs lets the environments of runs judge again. */
async function allowedIn(session: Session, ledger: Ledger, options: ProgramOptions): Promise<AllowProgram | null> {
  if (options.programs !== true) return null;
  const gate = new ProgramGate(session, options);
  const { registry } = await session.plugins.all();
  const named = await programsNamedBy(ledger, { ...session, registry });
  gate.require(
    ledger,
    named.filter(({ role }) => role === 'environment'),
  );
  return gate.allow;
}

async function recomputed(session: Session, run: string | null, options: ProgramOptions): Promise<Recomputed> {
  const { signal } = session;
  const { registry } = await session.plugins.all();
  const blobs = new OpenedBlobs(blobsUrl(session));
  const progress = new SessionProgress(session, 'events of evidence');
  try {
    return await withLedgerToRead(session, async (ledger) =>
      recompute({
        ledger,
        textOf: textReader(() => blobs.toRead()),
        run,
        allow: await allowedIn(session, ledger, options),
        registry,
        conclude: completion,
        signal,
        onProgress: (done, of) => progress.update(done, of),
      }),
    );
  } finally {
    await progress.end();
    await blobs.close();
  }
}

/** The findings in the ledger, with those in its tables. */
async function withTables(session: Session, found: FindingsState, isCompared: boolean): Promise<FindingsState> {
  const findings = new Findings(keptFindings);
  findings.join(found);
  for (const { kind, where, says } of await faultsUnlessUnreadable(session, isCompared, found)) {
    // With --tables, wrong tables set the exit code; otherwise they are rebuilt automatically.
    const as = isCompared || kind === 'differ' ? 'tables-differ' : (`tables-${kind}` as const);
    findings.add({ kind: as, where, event: null, says });
  }
  return findings.toJSON();
}

/** If the ledger cannot be read as a whole, its own faults were already found. */
async function faultsUnlessUnreadable(
  session: Session,
  isCompared: boolean,
  found: FindingsState,
): Promise<readonly TablesFault[]> {
  try {
    return await tablesFaults(session, isCompared);
  } catch (error) {
    if (!(error instanceof IcecoreError) || error.kind !== 'damaged' || found.faults === 0) throw error;
    await session.notify({
      kind: 'note',
      text: 'the tables were not compared with the ledger, which cannot be read as a whole',
    });
    return [];
  }
}

async function tablesFaults(session: Session, isCompared: boolean): Promise<readonly TablesFault[]> {
  const { lookAtTables, verifyTables } = await import('../../projections/verification.ts');
  const { signal } = session;
  const trust = tablesTrust(session);
  return await withLedgerToRead(session, async (ledger) => {
    const folder = tablesFolder(session, ledger);
    if (!isCompared) return (await lookAtTables(ledger, folder, { trust, signal }))?.faults ?? [];
    const { events: of } = await ledger.head();
    const progress = new SessionProgress(session, 'events in tables');
    try {
      const onProgress = (done: number): void => void progress.update(done, of);
      const verified = await verifyTables(ledger, folder, { trust, signal, onProgress });
      await progress.end();
      if (verified === null)
        await session.notify({ kind: 'hint', text: 'there are no tables to compare: icecore sql creates them' });
      else if (verified.compared > 0)
        await session.notify({
          kind: 'note',
          text: `compared ${counted(verified.compared, 'table')} in ${verified.path}`,
        });
      return verified?.faults ?? [];
    } finally {
      await progress.end();
    }
  });
}

// What `icecore verify` does: verifies, tells what was found, and can be taken up again where it was stopped.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { VerifyReport } from '../../../schemas/output.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { unrecordedOf } from '../../analysis/history/settings.ts';
import { visible } from '../../base/visible.ts';
import { isAway } from '../../ledger/errors.ts';
import { findRun } from '../../ledger/runs.ts';
import { type FindingsState, isFault } from '../../ledger/verify/findings.ts';
import { proveEvent } from '../../ledger/verify/prove.ts';
import { type Interrupted, type Verification, verifyLedger } from '../../ledger/verify/verify.ts';
import type { ProgramOptions } from '../../library/consent/programs.ts';
import { blobsUrl } from '../../library/opening/blobs.ts';
import { noticingWaits, withLedgerToRead } from '../../library/opening/ledger.ts';
import { findPlace, localTo } from '../../library/place/place.ts';
import type { Context } from '../context.ts';
import { findEvent } from '../events/event-text.ts';
import { escapeSteering } from '../output/json.ts';
import { Progress } from '../output/progress.ts';
import { type KeptHead, Notebook, readKeptHead } from './verification-notes.ts';
import { type ComputedAgain, computedAgain, tellVerification, withTables } from './verification-text.ts';

export interface VerifyFlags extends ProgramOptions {
  readonly head?: string;
  readonly key?: string;
  readonly resume?: true;
  readonly recompute?: true;
  readonly tables?: true;
}

export async function verify(context: Context, asked: string | undefined, flags: VerifyFlags): Promise<number> {
  requireMeant(asked, flags);
  const kept = flags.head === undefined ? null : await readKeptHead(context, flags.head, flags.key);
  const run = asked === undefined ? null : await withLedgerToRead(context.session, (ledger) => findRun(ledger, asked));
  const started = performance.now();
  const found = await verified(context, run?.run ?? null, kept, flags.resume === true);
  const seconds = (performance.now() - started) / 1000;
  const again = flags.recompute === true ? await computedAgain(context, run?.run ?? null, found, flags) : null;
  const before = again?.findings ?? { kept: found.findings, total: found.total, faults: found.faults };
  const findings = run === null ? await withTables(context, before, flags.tables === true) : before;
  const report = reportOf(found, { context, run: run?.run ?? null, kept, seconds, again, findings });
  if (context.flags.json) await context.printJson(report);
  else {
    await tellVerification(context, report);
    // What cannot be read was reported already.
    if (report.faults === 0)
      for (const line of await partlyRecorded(context, run?.run ?? null)) await context.say(line);
  }
  return report.status === 'faulty' ? 1 : 0;
}

interface Recording {
  readonly name: string;
  readonly options?: unknown;
  readonly trainings: { readonly stage: number; readonly rollouts: readonly unknown[] }[];
}

/** Runs that leave rollouts out: nothing vouches for what these came to. */
async function partlyRecorded(context: Context, run: string | null): Promise<readonly string[]> {
  const streams = run === null ? {} : { streams: [streamOf.run(run)] };
  return await withLedgerToRead(context.session, async (ledger) => {
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
      return what === null ? [] : [visible(`${name}: ${what}`)];
    });
  });
}

const clashes = [
  ['RUN', '--head', 'a head is of everything, and cannot be held against one run'],
  ['RUN', '--resume', 'only a verification of everything can be taken up again'],
  ['RUN', '--tables', 'the tables are of the whole ledger'],
] as const;

/** What cannot be meant together must not be passed over: what is left out would seem to have been checked. */
function requireMeant(
  asked: string | undefined,
  { head, key, resume, recompute, programs, tables, env }: VerifyFlags,
): void {
  const given = {
    RUN: asked,
    '--head': head,
    '--resume': resume,
    '--tables': tables,
  };
  for (const [one, other, why] of clashes) {
    if (given[one] !== undefined && given[other] !== undefined) throw misused(`${one} and ${other}: ${why}`);
  }
  requireHead(head, key, 'verify');
  if (programs === true && recompute !== true) {
    throw misused('--programs without --recompute: nothing else asks an environment');
  }
  if (env !== undefined && programs !== true)
    throw misused('--env without --programs: no program runs that could get it');
}

function requireHead(head: string | undefined, key: string | undefined, command: string): void {
  if (key !== undefined && head === undefined) throw misused('--key without --head: a head is what is signed', command);
}

function misused(what: string, command = 'verify'): IcecoreError {
  return new IcecoreError('usage', `${command}: ${what}`, {
    facts: { command },
    remedy: `icecore ${command} --help shows its arguments and options.`,
  });
}

/** What `icecore ledger prove` does. */
export async function prove(
  context: Context,
  reference: string,
  { head, key }: Pick<VerifyFlags, 'head' | 'key'>,
): Promise<number> {
  requireHead(head, key, 'ledger prove');
  const kept = head === undefined ? null : await readKeptHead(context, head, key);
  return await withLedgerToRead(context.session, async (ledger) => {
    const proof = await proveEvent(ledger, await findEvent(context, ledger, reference), kept?.head ?? null);
    await context.print(`${escapeSteering(JSON.stringify(proof, null, context.flags.json ? 0 : 2))}\n`);
    return 0;
  });
}

async function verified(
  context: Context,
  run: string | null,
  kept: KeptHead | null,
  isResumed: boolean,
): Promise<Verification> {
  const place = findPlace(context.session);
  const notebook = run === null ? new Notebook(localTo(place).verification, context.signal) : null;
  const from = isResumed && notebook !== null ? await goneBefore(context, notebook, kept) : null;
  const progress = new Progress(context, 'events');
  try {
    const found = await verifyLedger(place.ledger.url, {
      blobs: blobsUrl(context.session),
      run,
      head: kept?.head ?? null,
      signal: context.signal,
      onWait: noticingWaits(context.session),
      types: context.io.eventTypes,
      onProgress: ({ events }, of) => progress.update({ done: events, of }),
      ...(notebook === null ? {} : { from, onState: async (state) => notebook.note(state) }),
    });
    notebook?.discard();
    return found;
  } catch (error) {
    await progress.end();
    if (isAway(error)) notebook?.keep();
    if ((context.signal.aborted || isAway(error)) && notebook?.isKept === true) {
      await context.hint('stopped; to go on: icecore verify --resume, with the same head if there was one');
    }
    throw error;
  } finally {
    await progress.end();
  }
}

async function goneBefore(context: Context, notebook: Notebook, kept: KeptHead | null): Promise<Interrupted> {
  const ledger = await withLedgerToRead(context.session, async ({ id }) => id);
  return notebook.read({ ledger, head: kept?.head.root ?? null });
}

interface Circumstances {
  readonly context: Context;
  readonly run: string | null;
  readonly kept: KeptHead | null;
  readonly seconds: number;
  readonly again: ComputedAgain | null;
  readonly findings: FindingsState;
}

function reportOf(
  found: Verification,
  { context, run, kept, seconds, again, findings: all }: Circumstances,
): VerifyReport {
  const { tally, attempts } = found;
  const { kept: findings, total, faults } = all;
  const { at, events, root } = kept?.head ?? { at: '', events: 0, root: '' };
  return {
    status: faults > 0 ? 'faulty' : (again?.told?.unsupported ?? 0) > 0 ? 'unsupported' : 'sound',
    ledger: findPlace(context.session).ledger.url,
    ledgerId: found.ledger,
    run,
    ...tally,
    attempts,
    head: kept === null ? null : { at, events, root, signedBy: kept.signedBy, trusted: kept.isTrusted },
    recomputed: again?.told ?? null,
    faults,
    seconds: Number(seconds.toFixed(3)),
    perSecond: seconds > 0 ? Math.round(tally.events / seconds) : 0,
    as_of: new Date().toISOString(),
    total,
    rows: findings.map((finding) => ({ ...finding, fault: isFault(finding) })),
    truncated: findings.length < total,
  };
}

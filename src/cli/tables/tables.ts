// Where the tables of the ledger at hand are: beside it, or where ICECORE_TABLES says.
import { resolve } from 'node:path';
import { eventTypesWith } from '../../../schemas/own-events.ts';
import type { ProjectResult } from '../../../schemas/tables-output.ts';
import { count, counted, duration } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { UnknownEvents } from '../../ledger/unknown-events.ts';
import type { EventFinder } from '../../projections/finding.ts';
import { follow } from '../../projections/projector/follow.ts';
import { type Projected, type ProjectOptions, project } from '../../projections/projector/projector.ts';
import { tablesBeside, tablesWithin } from '../../projections/warehouse/place.ts';
import type { TablesTrust } from '../../projections/warehouse/provenance.ts';
import type { Context } from '../context.ts';
import { findHome } from '../home.ts';
import { exitCodeOf, type Io, type StopSignal } from '../io.ts';
import { withLedgerToRead } from '../ledger.ts';
import { Progress } from '../output/progress.ts';
import { Follower } from '../waiting.ts';

/** A folder that the user named is the user's own word; elsewhere the user's records vouch for files of tables. */
export function tablesTrust({ env }: Pick<Io, 'env'>): TablesTrust {
  return { env, isNamed: Boolean(env['ICECORE_TABLES']) };
}

/** Several ledgers may have their tables in one folder that was named. */
export function tablesFolder(io: Pick<Io, 'env' | 'cwd'>, ledger: Pick<Ledger, 'id' | 'url'>): string {
  const named = io.env['ICECORE_TABLES'];
  return named ? tablesWithin(resolve(io.cwd, named), ledger) : tablesBeside(ledger.url, findHome(io).path);
}

const limits = { seconds: 60, memoryMegabytes: 1024 };

export async function withFinder<Result>(
  context: Context,
  ledger: Ledger,
  body: (finder: EventFinder) => Promise<Result>,
): Promise<Result> {
  const projections = await import('../../projections/finding.ts');
  const finder = new projections.EventFinder(ledger, async (ask) => {
    const { withQuestions } = await import('../../projections/asking.ts');
    const { withProgress } = await import('./tables.ts');
    const { tablesFolder } = await import('./tables.ts');
    const folder = tablesFolder(context.io, ledger);
    await withProgress(context, ledger, (options, isThrough) =>
      withQuestions(ledger, folder, limits, options, async (questions) => {
        await isThrough();
        await ask(questions);
      }),
    );
  });
  try {
    return await body(finder);
  } finally {
    await finder.close();
  }
}

/** Shows how far it is, where it takes long; once it is through, what comes next begins on a line of its own. */
export async function withProgress<Result>(
  context: Context,
  ledger: Ledger,
  body: (options: ProjectOptions, isThrough: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { events: of } = await ledger.head();
  const progress = new Progress(context, 'events in tables');
  const notes = new Set<string>();
  try {
    const options = {
      trust: tablesTrust(context.io),
      signal: context.signal,
      progress: (done: number) => void progress.update({ done, of }),
      onNote: (note: string) => void notes.add(note),
    };
    return await body(options, () => progress.end());
  } finally {
    await progress.end();
    for (const note of notes) await context.say(note);
  }
}

async function remark(
  context: Pick<Context, 'say' | 'hint'>,
  { built, remade, unread, unknown }: Pick<Projected, 'built' | 'remade' | 'unread' | 'unknown'>,
): Promise<void> {
  if (built !== null) await context.say(`built anew: ${built}`);
  if (remade.length > 0) await context.say(`made anew, since they are defined otherwise now: ${remade.join(', ')}`);
  if (unknown.length > 0) await context.say(`${unknownText(unknown)}`);
  if (unread > 0)
    await context.hint(
      `${counted(unread, 'event')} cannot be read and ${unread === 1 ? 'is' : 'are'} in no table: icecore verify tells which`,
    );
}

/** Events that were sent and do not count are in no table, and nobody who asks the tables would ever hear of them. */
async function remarkStore(context: Pick<Context, 'hint' | 'signal'>, ledger: Pick<Ledger, 'audit'>): Promise<void> {
  let wrong = 0;
  for await (const _ of ledger.audit({ wholly: false })) {
    wrong++;
    context.signal.throwIfAborted();
  }
  if (wrong === 0) return;
  await context.hint(
    `${counted(wrong, 'thing')} in the store of the ledger ${wrong === 1 ? 'is' : 'are'} not as it should be, such as events that were sent and do not count: icecore verify tells which`,
  );
}

/** More kinds are only counted. */
const mostNamed = 4;

/** Without those of the program's own types: tables tell of all that icecore by itself does not know. */
export function unknownTo({ eventTypes }: Pick<Io, 'eventTypes'>, unknown: readonly UnknownEvents[]): UnknownEvents[] {
  const types = eventTypesWith(eventTypes);
  return unknown.filter(({ type, version }) => version > (types.get(type)?.versions.length ?? 0));
}

/** Of tables. */
export function unknownText(unknown: readonly UnknownEvents[]): string {
  return `${unknownClause(unknown)}, in no table but events: whoever recorded them, a newer icecore or another program, knows more of them`;
}

/** Of an answer that is made of events. */
export function leftOutText(unknown: readonly UnknownEvents[]): string {
  return `${unknownClause(unknown)}, left out of this answer: icecore event tail shows them`;
}

function unknownClause(unknown: readonly UnknownEvents[]): string {
  const events = unknown.reduce((sum, one) => sum + one.events, 0);
  const named = unknown
    .slice(0, mostNamed)
    .map((one) => `${visible(one.type)} version ${one.version}: ${count(one.events)}`);
  const more = unknown.length > mostNamed ? [`and ${unknown.length - mostNamed} more kinds`] : [];
  return `${counted(events, 'event')} of types or versions that this icecore does not know (${[...named, ...more].join(', ')})`;
}

interface Asked {
  readonly rebuild?: true;
  readonly follow?: true;
}

export async function projectTables(context: Context, asked: Asked): Promise<number> {
  const rebuild = asked.rebuild === true;
  const follower = asked.follow === true ? new Follower(context) : null;
  const body = async (ledger: Ledger): Promise<number> => {
    const folder = tablesFolder(context.io, ledger);
    if (follower !== null) return await keepUp(context, ledger, follower, { folder, rebuild });
    const started = performance.now();
    const done = await withProgress(context, ledger, (options) => project(ledger, folder, { ...options, rebuild }));
    await tell(context, ledger, done, started);
    await remarkStore(context, ledger);
    return 0;
  };
  return await withLedgerToRead(context, body, follower?.onWait);
}

async function keepUp(
  context: Context,
  ledger: Ledger,
  follower: Follower,
  { folder, rebuild }: { readonly folder: string; readonly rebuild: boolean },
): Promise<number> {
  const { signal } = context;
  const notes = new Set<string>();
  const onNote = (note: string): void => {
    if (!notes.has(note)) void context.say(note);
    notes.add(note);
  };
  const options = { signal, trust: tablesTrust(context.io), onNote };
  let started = performance.now();
  let isTold = false;
  const begin = (): AsyncIterable<Projected> => follow(ledger, folder, { ...options, rebuild: rebuild && !isTold });
  try {
    for await (const done of follower.following(begin)) {
      // Where it was gone on with, and nothing had come meanwhile, there is nothing to tell.
      if (isTold && done.added === 0) continue;
      isTold = true;
      await tell(context, ledger, done, started);
      started = performance.now();
    }
  } catch (fault) {
    if (!signal.aborted) throw fault;
  }
  return exitCodeOf(signal.reason as StopSignal);
}

async function tell(context: Context, ledger: Ledger, done: Projected, started: number): Promise<void> {
  const { path, added, events, built, remade, unread } = done;
  const unknown = unknownTo(context.io, done.unknown);
  const seconds = Math.round(performance.now() - started) / 1000;
  const result: ProjectResult = {
    ledger: ledger.url,
    tables: path,
    events,
    added,
    unread,
    unknown,
    built,
    remade: [...remade],
    seconds,
  };
  if (context.flags.json) return await context.printJson(result);
  await remark(context, { ...done, unknown });
  await context.print(`${counted(added, 'event')} added, ${counted(events, 'event')} in all, ${duration(seconds)}\n`);
}

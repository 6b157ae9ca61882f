// What commands print about the tables: progress, what was filled, and events that this icecore does not know.

import { eventTypesWith } from '../../../schemas/own-events.ts';
import { count, counted } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { UnknownEvents } from '../../ledger/unknown-events.ts';
import type { Projected, ProjectOptions } from '../../projections/projector/projector.ts';
import type { Context } from '../context.ts';
import type { Io } from '../io.ts';
import { Progress } from '../output/progress.ts';
import { tablesTrust } from './folder.ts';

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

export async function remark(
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
export async function remarkStore(
  context: Pick<Context, 'hint' | 'signal'>,
  ledger: Pick<Ledger, 'audit'>,
): Promise<void> {
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

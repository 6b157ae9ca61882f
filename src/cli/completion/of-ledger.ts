// Candidates from the ledger: runs, streams, knobs that changed. There are none without a ledger that can be read.
import { escapeControls } from '../../base/escape.ts';
import type { EventsOptions } from '../../library/events/read.ts';
import type { StoredEvent } from '../../library/ledger.ts';
import type { Candidate } from '../../library/plugins/command.ts';
import type { Session } from '../../library/session.ts';
import type { Context } from '../context.ts';

/** The number of latest events that are searched for names of streams. */
const recentEvents = 2000;

/** The maximum number of runs that are offered. */
const mostRuns = 200;

type Found = ReadonlyMap<string, string>;

/** Notices of the library are dropped: a shell shows only candidates. */
async function offered(context: Context, find: (session: Session) => Promise<Found>): Promise<readonly Candidate[]> {
  try {
    const found = await find({ ...context.session, notify: async () => {} });
    return Array.from(found, ([value, about]) => ({ value, about: escapeControls(about) })).filter(({ value }) =>
      isWord(value),
    );
  } catch {
    return [];
  }
}

/** The latest events, newest first. */
async function recent(session: Session, options: EventsOptions): Promise<readonly StoredEvent[]> {
  const { events } = await import('../../library/events/read.ts');
  const found: StoredEvent[] = [];
  for await (const batch of events(session, options)) found.push(...batch);
  return found.toReversed();
}

/** Whether the name can be typed: it breaks no line, steers no terminal and looks like no option. */
function isWord(value: string): boolean {
  return value !== '' && !/^[-:]/.test(value) && escapeControls(value) === value;
}

export async function recentStreams(context: Context): Promise<readonly Candidate[]> {
  return await offered(
    context,
    async (session) => new Map((await recent(session, { last: recentEvents })).map(({ stream }) => [stream, ''])),
  );
}

/** Newest first; a run whose name cannot be typed by its identity. */
export async function runNames(context: Context): Promise<readonly Candidate[]> {
  return await offered(context, async (session) => {
    const names = new Map<string, string>();
    for (const { reading, envelope } of await recent(session, { types: ['RunStarted'], last: mostRuns })) {
      if (!reading.known || reading.type !== 'RunStarted') continue;
      const { name } = reading.data;
      names.set(isWord(name) ? name : (envelope.run ?? ''), '');
    }
    return names;
  });
}

/** Newest first, each with its state. */
export async function ablationNames(context: Context): Promise<readonly Candidate[]> {
  return await offered(context, async (session) => {
    const { ablations } = await import('../../library/ablation/list.ts');
    const { rows } = await ablations(session);
    return new Map(rows.map(({ name, ablation, state }) => [isWord(name) ? name : ablation, state]));
  });
}

/** Of the decision that `reference` names, RUN or RUN@K, each family before its knobs. */
export async function changedKnobs(context: Context, reference: string): Promise<readonly Candidate[]> {
  return await offered(context, async (session) => {
    const [{ why }, { runReference }, { turnText }] = await Promise.all([
      import('../../library/understanding.ts'),
      import('../../library/reference.ts'),
      import('../../document/figures.ts'),
    ]);
    const { changes } = await why(session, runReference(reference), { detail: 1 });
    const found = new Map<string, string>();
    for (const { knob, family, ...turn } of changes) {
      if (family !== null && !found.has(family)) found.set(family, `all of family ${family}`);
      found.set(knob, turnText(turn));
    }
    return found;
  });
}

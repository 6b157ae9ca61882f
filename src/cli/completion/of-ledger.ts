// What a shell is offered of a ledger: runs, streams, knobs that changed. Nothing where there is no ledger, none that can be
// read, or nothing of that name.
import { escapeControls } from '../../base/escape.ts';
import type { EventsOptions } from '../../library/events/read.ts';
import type { StoredEvent } from '../../library/ledger.ts';
import type { Candidate } from '../../library/plugins/command.ts';
import type { Session } from '../../library/session.ts';
import type { Context } from '../context.ts';

/** Events looked through for the names of streams, from the last one back. */
const recentEvents = 2000;

/** So many runs are offered. */
const mostRuns = 200;

type Found = ReadonlyMap<string, string>;

/** What the library notices meanwhile is for nobody. */
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

/** The last events, the newest first. */
async function recent(session: Session, options: EventsOptions): Promise<readonly StoredEvent[]> {
  const { events } = await import('../../library/events/read.ts');
  const found: StoredEvent[] = [];
  for await (const batch of events(session, options)) found.push(...batch);
  return found.toReversed();
}

/** A name that would break the lines of the answer, steer the terminal or be taken for an option is no word to type. */
function isWord(value: string): boolean {
  return value !== '' && !/^[-:]/.test(value) && escapeControls(value) === value;
}

export async function recentStreams(context: Context): Promise<readonly Candidate[]> {
  return await offered(
    context,
    async (session) => new Map((await recent(session, { last: recentEvents })).map(({ stream }) => [stream, ''])),
  );
}

/** The newest first; one whose name is no word by its identity. */
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

/** Of the decision that `reference` names, RUN or RUN@STAGE, each family before its knobs. */
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

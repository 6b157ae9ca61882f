// What a shell is offered of a ledger: runs, streams, knobs that changed. Nothing where there is no ledger, none that can be
// read, or nothing of that name.
import { visible } from '../../base/visible.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { withLedgerToRead } from '../../library/opening/ledger.ts';
import type { Candidate } from '../../library/plugins/command.ts';
import type { Context } from '../context.ts';

/** Events looked through for the names of streams, from the last one back. */
const recentEvents = 2000;

/** So many runs are offered. */
const mostRuns = 200;

type Found = ReadonlyMap<string, string>;

async function offered(context: Context, find: (ledger: Ledger) => Promise<Found>): Promise<readonly Candidate[]> {
  try {
    const found = await withLedgerToRead(context.session, find);
    return Array.from(found, ([value, about]) => ({ value, about: visible(about) })).filter(({ value }) =>
      isWord(value),
    );
  } catch {
    return [];
  }
}

/** A name that would break the lines of the answer, steer the terminal or be taken for an option is no word to type. */
function isWord(value: string): boolean {
  return value !== '' && !/^[-:]/.test(value) && visible(value) === value;
}

export async function recentStreams(context: Context): Promise<readonly Candidate[]> {
  return await offered(context, async (ledger) => {
    const streams = new Map<string, string>();
    for await (const events of ledger.readAll({ backwards: true, limit: recentEvents })) {
      for (const { stream } of events) streams.set(stream, '');
    }
    return streams;
  });
}

/** The newest first; one whose name is no word by its identity. */
export async function runNames(context: Context): Promise<readonly Candidate[]> {
  return await offered(context, async (ledger) => {
    const names = new Map<string, string>();
    for await (const events of ledger.readAll({ types: ['RunStarted'], backwards: true, limit: mostRuns })) {
      for (const { reading, envelope } of events) {
        if (reading.known && reading.type === 'RunStarted') {
          const { name } = reading.data;
          names.set(isWord(name) ? name : (envelope.run ?? ''), '');
        }
      }
    }
    return names;
  });
}

/** Of the decision that `reference` names, RUN or RUN@STAGE, each family before its knobs. */
export async function changedKnobs(context: Context, reference: string): Promise<readonly Candidate[]> {
  const [{ readRun }, { lastDecided }, { byFamily }, { decisionFor }, { findRun }, { runReference }, { turnText }] =
    await Promise.all([
      import('../../producers/history/reading.ts'),
      import('../../analysis/why/why.ts'),
      import('../../analysis/why/decision.ts'),
      import('../../producers/history/decisions.ts'),
      import('../../ledger/runs.ts'),
      import('../../library/reference.ts'),
      import('../../document/figures.ts'),
    ]);
  return await offered(context, async (ledger) => {
    const { run, stage } = runReference(reference);
    const read = await readRun(ledger, await findRun(ledger, run));
    const { changes } = decisionFor(read, stage ?? lastDecided(read));
    const found = new Map<string, string>();
    for (const { knob, family, ...turn } of byFamily(changes)) {
      if (family !== null && !found.has(family)) found.set(family, `all of family ${family}`);
      found.set(knob, turnText(turn));
    }
    return found;
  });
}

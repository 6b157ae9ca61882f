// Contexts, built again from the history as far as they say they knew it, and held against what was shown byte by byte and
// evidence id by evidence id.
import type { EventData } from '../../../schemas/catalogue.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { buildContext, builder } from '../contexts/build.ts';
import { emptyHistory, type RunHistory } from '../run/history.ts';
import { withNext } from '../run/reading.ts';
import type { Account } from './account.ts';
import { type TextOf, Texts } from './texts.ts';

type Context = EventData['ContextRecorded'];

export interface ContextAgain {
  readonly event: StoredEvent;
  readonly data: Context;
  readonly stage: number;
  /** Before it. */
  readonly history: RunHistory;
  readonly ledger: Ledger;
  readonly textOf: TextOf;
  readonly account: Account;
  /** As much of the history as was shown, where that is not all of it. */
  readonly shown?: (history: RunHistory) => RunHistory;
}

export async function recomputeContext(of: ContextAgain): Promise<void> {
  const { event, data, account, stage } = of;
  const why = whyNot(data, of.history);
  if (why !== null) {
    account.skip(event, 'contexts', why);
    return;
  }
  const texts = new Texts(of.textOf);
  const recorded = await texts.whole(data);
  const whole = await historyOf(of);
  const history = of.shown?.(whole) ?? whole;
  const descriptor = history.started?.data.descriptor;
  if (descriptor === undefined) {
    account.skip(event, 'contexts', 'the run did not record the descriptor of its environment');
    return;
  }
  const { contextForm: form, budget, without = [] } = data;
  const built = await buildContext({ descriptor, history, stage, form, budget, without, textOf: texts.of });
  if (texts.isLost) {
    account.skip(event, 'contexts', 'a text they rest on is not there');
    return;
  }
  account.again('contexts');
  // What differs is told by the text, where it can be read, before anything that follows from it.
  const { measured: _, text, ...told } = recorded;
  const { text: again, ...rest } = built.recorded;
  account.hold(event, 'recomputed-context', { text, ...told }, { text: again, ...rest });
}

function whyNot(data: Context, { run }: RunHistory): string | null {
  if (data.builder !== builder) return `built by ${data.builder ?? 'something else'}, here it is ${builder}`;
  return knownRevision(data, run) === null ? 'the history they were built from is not recorded' : null;
}

/** How far the context knew the run's own stream. */
function knownRevision({ history = [] }: Context, run: string): number | null {
  return history.find(({ stream }) => stream === streamOf.run(run))?.revision ?? null;
}

async function historyOf({ data, history, ledger }: ContextAgain): Promise<RunHistory> {
  const { run } = history;
  const to = knownRevision(data, run);
  if (to === null || to === history.revision) return history;
  let now = emptyHistory(run);
  for await (const events of ledger.read(streamOf.run(run), { to })) {
    for (const event of events) now = await withNext(ledger, now, event);
  }
  return now;
}

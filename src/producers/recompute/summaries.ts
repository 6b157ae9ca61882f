// Recomputes summaries from the sealed evidence, and contexts from the history, byte by byte. Erased texts are
// reported, because what depends on them can no longer be computed.

import type { EventData } from '../../../schemas/catalogue.ts';
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { escapeControlsInLines } from '../../base/escape.ts';
import { isOwnModule } from '../../lab/context-modules.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Registry } from '../../lab/registry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { buildContext, builderOf } from '../contexts/build.ts';
import { readHistory } from '../history/reading.ts';
import { type RunHistory, stageAt } from '../history/run-history.ts';
import { type SummaryModule, summaryModules } from '../summaries/modules.ts';
import { summarise, summaryVersion } from '../summaries/summarise.ts';
import type { Account } from './account.ts';

type Text = NonNullable<EventData['RolloutRecorded']['completion']>;

export type TextOf = (text: Text) => Promise<string | null>;

export class Texts {
  readonly #textOf: TextOf;
  /** Whether a requested text no longer exists. */
  isLost = false;

  constructor(textOf: TextOf) {
    this.#textOf = textOf;
  }

  readonly of: TextOf = async (text) => {
    const found = await this.#textOf(text);
    if (found === null) this.isLost = true;
    return found;
  };

  /** The same data with its text inline. */
  async whole<Data extends { readonly text: Text | null }>(data: Data): Promise<Data> {
    const { text } = data;
    if (text === null || 'text' in text) return data;
    const found = await this.of(text);
    return found === null ? data : { ...data, text: { text: found } };
  }
}

type Summary = EventData['SummaryRecorded'];

interface SummaryCheck {
  readonly event: StoredEvent;
  readonly data: Summary;
  readonly stage: number;
  /** Before the event. */
  readonly history: RunHistory;
  readonly ledger: Ledger;
  readonly environment: Environment | null;
  /** The number of exemplars in the run's settings. */
  readonly exemplars: number;
  readonly textOf: TextOf;
  readonly account: Account;
  readonly signal: AbortSignal;
}

/** The actor of a run's summaries. */
const own = 'producer/summaries';

export async function recomputeSummary(of: SummaryCheck): Promise<void> {
  const { event, data, account } = of;
  const why = whyNot(of);
  if (why !== null) {
    account.skip(event, 'summaries', why);
    return;
  }
  const texts = new Texts(of.textOf);
  const recorded = await texts.whole(data);
  const computed = data.module === 'self-summary' ? await said(of, recorded, texts) : await addedUp(of, texts);
  if (texts.isLost || computed === null) {
    account.skip(event, 'summaries', 'a text they depend on is missing');
    return;
  }
  account.rests(event, 'summaries', streamsOf(of));
  const { measured: _, ...compared } = recorded;
  const shown = data.module === 'failures' ? { exemplars: data.parameters?.['exemplars'] } : {};
  const asked = data.module === 'failures' ? { exemplars: of.exemplars } : {};
  account.hold(event, 'recomputed-summary', shown, asked, `${data.module}: data.parameters`);
  account.hold(event, 'recomputed-summary', compared, computed, `${data.module}: data`);
}

/** The shards of its stage; none for a self-summary and for the training module. */
function streamsOf({ data, history, stage }: SummaryCheck): readonly string[] {
  if (data.module === 'self-summary' || data.module === 'training') return [];
  const sealed = stageAt(history, stage)?.sealed?.data.attempts ?? [];
  return sealed.flatMap(({ stream }) => {
    const name = parseStream(stream);
    return name?.category === 'evidence' && name.shard !== null ? [stream] : [];
  });
}

function whyNot({ event, data, environment }: SummaryCheck): string | null {
  const { module, version, parameters } = data;
  if (event.envelope.actor !== own) return `recorded by ${event.envelope.actor}`;
  if (version !== summaryVersion) return `computed by version ${version}, this is version ${summaryVersion}`;
  if (module === 'self-summary') return null;
  if (!isModule(module)) return `of the unknown module ${module}`;
  if (module !== 'failures') return null;
  if (environment === null) return 'their rollouts cannot be drawn without their environment';
  return typeof parameters?.['exemplars'] === 'number' ? null : 'the number of exemplars is not recorded';
}

function isModule(word: string): word is SummaryModule {
  return (summaryModules as readonly string[]).includes(word);
}

async function addedUp(of: SummaryCheck, texts: Texts): Promise<Summary> {
  const { data, ledger, history, stage, environment, signal } = of;
  return await summarise(data.module as SummaryModule, {
    ledger,
    textOf: texts.of,
    environment: environment ?? { descriptor: recordedDescriptor(history) },
    history,
    stage,
    exemplars: Number(data.parameters?.['exemplars'] ?? 0),
    signal,
  });
}

function recordedDescriptor({ started }: RunHistory): Environment['descriptor'] {
  if (started?.data.descriptor === undefined)
    throw new Error('the run did not record the descriptor of its environment');
  return started.data.descriptor;
}

/** The summary with the text of its recorded answer; null if that no longer exists. */
async function said({ ledger }: SummaryCheck, recorded: Summary, texts: Texts): Promise<Summary | null> {
  const { answer, measured: _, ...rest } = recorded;
  if (answer === undefined) return null;
  for await (const events of ledger.read(streamOf.answer(answer.key))) {
    for (const { reading } of events) {
      if (!reading.known || reading.type !== 'ModelAnswered') continue;
      const text = await meant(reading.data, texts);
      return { ...rest, answer, text: text === null ? null : { text } };
    }
  }
  return null;
}

/** Null if the model refused. */
async function meant({ answer, finishReason }: EventData['ModelAnswered'], texts: Texts): Promise<string | null> {
  if (answer === null || finishReason === 'refusal' || finishReason === 'content_filter') return null;
  const text = escapeControlsInLines((await texts.of(answer)) ?? '').trim();
  return text === '' ? null : text;
}

type Context = EventData['ContextRecorded'];

interface ContextCheck {
  readonly event: StoredEvent;
  readonly data: Context;
  readonly stage: number;
  /** Before the event. */
  readonly history: RunHistory;
  readonly ledger: Ledger;
  readonly textOf: TextOf;
  readonly account: Account;
  readonly registry: Pick<Registry, 'contextModules'>;
  /** The part of the history that was shown, if it is not all of it. */
  readonly shown?: (history: RunHistory) => RunHistory;
}

export async function recomputeContext(of: ContextCheck): Promise<void> {
  const { event, data, account, stage } = of;
  const why = whyNotContext(of);
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
  const own = of.registry.contextModules;
  const built = await buildContext({ descriptor, history, stage, form, budget, without, own, textOf: texts.of });
  if (texts.isLost) {
    account.skip(event, 'contexts', 'a text they depend on is missing');
    return;
  }
  account.again('contexts');
  // A readable difference in the text comes first, before its consequences such as digests.
  const { measured: _, text, ...given } = recorded;
  const { text: again, ...rest } = built.recorded;
  account.hold(event, 'recomputed-context', { text, ...given }, { text: again, ...rest });
}

function whyNotContext({ data, history: { run }, registry }: ContextCheck): string | null {
  const missing = data.contextForm.modules.find(
    (module) => isOwnModule(module) && !registry.contextModules.has(module),
  );
  if (missing !== undefined) return `with the module ${missing}, which belongs to no loaded plugin`;
  const builder = builderOf(data.contextForm, registry.contextModules);
  if (data.builder !== builder) return `built by ${data.builder ?? 'something else'}, this is ${builder}`;
  return knownRevision(data, run) === null ? 'the history they were built from is not recorded' : null;
}

/** The last revision of the run's own stream that the context used. */
function knownRevision({ history = [] }: Context, run: string): number | null {
  return history.find(({ stream }) => stream === streamOf.run(run))?.revision ?? null;
}

async function historyOf({ data, history, ledger }: ContextCheck): Promise<RunHistory> {
  const { run } = history;
  const to = knownRevision(data, run);
  if (to === null || to === history.revision) return history;
  return await readHistory(ledger, run, { to });
}

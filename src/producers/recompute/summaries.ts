// Summaries, added up again from the sealed evidence and the training they were made from. What a model said of itself is
// held against its recorded answer: nobody is asked again.
import type { EventData } from '../../../schemas/catalogue.ts';
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { visibleLines } from '../../base/visible.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { RunHistory } from '../run/history.ts';
import { type SummaryModule, summaryModules } from '../summaries/modules.ts';
import { summarise, summaryVersion } from '../summaries/summarise.ts';
import type { Account } from './account.ts';
import { type TextOf, Texts } from './texts.ts';

type Summary = EventData['SummaryRecorded'];

export interface SummaryAgain {
  readonly event: StoredEvent;
  readonly data: Summary;
  readonly stage: number;
  /** Before it. */
  readonly history: RunHistory;
  readonly ledger: Ledger;
  readonly environment: Environment | null;
  /** How many rollouts are shown, as the run was set to. */
  readonly exemplars: number;
  readonly textOf: TextOf;
  readonly account: Account;
  readonly signal: AbortSignal;
}

/** Who adds up in a run. */
const own = 'producer/summaries';

export async function recomputeSummary(of: SummaryAgain): Promise<void> {
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
    account.skip(event, 'summaries', 'a text they rest on is not there');
    return;
  }
  account.rests(event, 'summaries', streamsOf(of));
  const { measured: _, ...told } = recorded;
  const shown = data.module === 'failures' ? { exemplars: data.parameters?.['exemplars'] } : {};
  const asked = data.module === 'failures' ? { exemplars: of.exemplars } : {};
  account.hold(event, 'recomputed-summary', shown, asked, `${data.module}: data.parameters`);
  account.hold(event, 'recomputed-summary', told, computed, `${data.module}: data`);
}

/** The shards of its stage; what a model said of itself rests on none, and neither does that of the training. */
function streamsOf({ data, history, stage }: SummaryAgain): readonly string[] {
  if (data.module === 'self-summary' || data.module === 'training') return [];
  const sealed = history.stages.find((one) => one.stage === stage)?.sealed?.data.attempts ?? [];
  return sealed.flatMap(({ stream }) => {
    const name = parseStream(stream);
    return name?.category === 'evidence' && name.shard !== null ? [stream] : [];
  });
}

function whyNot({ event, data, environment }: SummaryAgain): string | null {
  const { module, version, parameters } = data;
  if (event.envelope.actor !== own) return `recorded by ${event.envelope.actor}`;
  if (version !== summaryVersion) return `added up by version ${version}, here it is ${summaryVersion}`;
  if (module === 'self-summary') return null;
  if (!isModule(module)) return `of a module that is not known here, ${module}`;
  if (module !== 'failures') return null;
  if (environment === null) return 'their rollouts cannot be drawn without their environment';
  return typeof parameters?.['exemplars'] === 'number' ? null : 'how many rollouts they show is not recorded';
}

function isModule(word: string): word is SummaryModule {
  return (summaryModules as readonly string[]).includes(word);
}

async function addedUp(of: SummaryAgain, texts: Texts): Promise<Summary> {
  const { data, ledger, history, stage, environment, signal } = of;
  return await summarise(data.module as SummaryModule, {
    ledger,
    textOf: texts.of,
    environment: environment ?? { descriptor: descriptorOf(history) },
    history,
    stage,
    exemplars: Number(data.parameters?.['exemplars'] ?? 0),
    signal,
  });
}

function descriptorOf({ started }: RunHistory): Environment['descriptor'] {
  if (started?.data.descriptor === undefined)
    throw new Error('the run did not record the descriptor of its environment');
  return started.data.descriptor;
}

/** The summary with the text that its recorded answer has; null where that is no more. */
async function said({ ledger }: SummaryAgain, recorded: Summary, texts: Texts): Promise<Summary | null> {
  const { answer, measured: _, ...told } = recorded;
  if (answer === undefined) return null;
  for await (const events of ledger.read(streamOf.answer(answer.key))) {
    for (const { reading } of events) {
      if (!reading.known || reading.type !== 'ModelAnswered') continue;
      const text = await meant(reading.data, texts);
      return { ...told, answer, text: text === null ? null : { text } };
    }
  }
  return null;
}

/** Null where the model would not answer. */
async function meant({ answer, finishReason }: EventData['ModelAnswered'], texts: Texts): Promise<string | null> {
  if (answer === null || finishReason === 'refusal' || finishReason === 'content_filter') return null;
  const text = visibleLines((await texts.of(answer)) ?? '').trim();
  return text === '' ? null : text;
}

// What an engineer is shown for a decision: as recorded, or built from the history through the stage before.
import type { ContextResult } from '../../../schemas/by-hand-output.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { buildContext } from '../../producers/contexts/build.ts';
import { type Form, formNamed, nameOfForm } from '../../producers/contexts/forms.ts';
import type { ContextInput } from '../../producers/contexts/module.ts';
import { recordedContext } from '../../producers/history/citing.ts';
import { textReader } from '../../producers/run/question.ts';
import { blobsUrl, OpenedBlobs } from '../opening/blobs.ts';
import { withLedgerToAnswer } from '../opening/ledger.ts';
import { checkedNumber } from '../option-error.ts';
import type { RunReference } from '../reference.ts';
import type { Session } from '../session.ts';
import { type NamedDecision, namedDecision } from './decision.ts';

/** Which context to build, and how long it may be. */
export interface ContextOptions {
  /** A form, or modules joined by `+` (default that of the run). */
  readonly context?: string;
  /** Maximum length in tokens; 0 is unlimited (default that of the run). */
  readonly contextTokens?: number;
}

/** `run`: RUN@K, or RUN for its next decision; defaults to the latest run. Records nothing. */
export async function contextFor(
  session: Session,
  run?: string | RunReference,
  options: ContextOptions = {},
): Promise<ContextResult> {
  const { contextTokens = null } = options;
  const form = options.context === undefined ? null : formNamed(options.context);
  if (contextTokens !== null) checkedNumber('contextTokens', contextTokens, { from: 0, to: 10_000_000 });
  return await withLedgerToAnswer(session, async (ledger) => {
    const place = await namedDecision(session, ledger, run);
    const blobs = new OpenedBlobs(blobsUrl(session));
    try {
      const building = {
        ...buildingOf(place, form, contextTokens, textsIn(blobs)),
        own: (await session.plugins.all()).registry.contextModules,
      };
      const { data, text, recorded } = await textOf(building);
      const { name, decides: stage } = place;
      return { ledger: ledger.url, run: place.run, name, stage, ...data, text: { text }, recorded };
    } finally {
      await blobs.close();
    }
  });
}

/** Without a blob store, texts in blobs count as erased. */
function textsIn(blobs: OpenedBlobs): ContextInput['textOf'] {
  return async (text) => {
    if ('text' in text) return text.text;
    const store = await blobs.toRead();
    return store === null ? null : await textReader(async () => store)(text);
  };
}

/** Options that are left out are taken from the run. */
function buildingOf(
  { history, stage, name }: NamedDecision,
  form: Form | null,
  budget: number | null,
  textOf: ContextInput['textOf'],
): ContextInput {
  const { descriptor, contextForm: ofRun, options } = history.started?.data ?? {};
  if (descriptor === undefined) {
    throw new IcecoreError('unsupported', `${name} has no descriptor of its environment, so no context can be built`, {
      facts: { run: history.run },
      remedy: 'Record the descriptor in RunStarted.',
    });
  }
  const tokens = options?.['contextTokens'];
  return {
    descriptor,
    history,
    stage: stage.stage,
    form: form ?? formOf(ofRun, name),
    budget: budget ?? (typeof tokens === 'number' ? tokens : 0),
    textOf,
  };
}

type RecordedForm = NonNullable<NamedDecision['history']['started']>['data']['contextForm'];

function formOf(form: RecordedForm, name: string): Form {
  if (form !== undefined) return formNamed(nameOfForm(form));
  throw new IcecoreError('usage', `${name} does not record its context form`, {
    remedy: 'Name a form of context: combined',
    commandRemedy: 'Name a form: --context combined',
  });
}

type Recorded = Awaited<ReturnType<typeof buildContext>>['recorded'];

async function textOf(
  building: ContextInput,
): Promise<{ data: Recorded; text: string; recorded: ContextResult['recorded'] }> {
  const recorded = recordedContext(building);
  if (recorded === null) {
    const { recorded: data, shown: built } = await buildContext(building);
    return { data, text: built.text, recorded: null };
  }
  const text = await building.textOf(recorded.data.text);
  if (text !== null) {
    const { id: event, revision, data } = recorded;
    return { data, text, recorded: { event, stream: streamOf.run(building.history.run), revision } };
  }
  throw new IcecoreError('not-found', 'the text of this context was erased, or its blob is missing', {
    facts: { event: recorded.id, digest: recorded.data.digest },
    remedy: 'icecore verify says which. With another maximum length it is built again from the history.',
    commandRemedy: 'icecore verify says which. Another --max-tokens builds it again from the history.',
  });
}

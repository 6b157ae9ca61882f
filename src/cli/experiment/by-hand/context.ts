// What `icecore context` does: prints the very bytes that an engineer is shown after a stage.
import { IcecoreError } from '../../../../schemas/errors.ts';
import { shortDigest } from '../../../analysis/figures.ts';
import { counted } from '../../../base/quantity.ts';
import { visibleLines } from '../../../base/visible.ts';
import { blobsUrl, OpenedBlobs } from '../../../library/opening/blobs.ts';
import { withLedgerToAnswer } from '../../../library/opening/ledger.ts';
import type { RunReference } from '../../../library/reference.ts';
import { recordedContext } from '../../../producers/by-hand/asking.ts';
import { buildContext } from '../../../producers/contexts/build.ts';
import { type Form, formNamed, nameOfForm } from '../../../producers/contexts/forms.ts';
import type { Building } from '../../../producers/contexts/module.ts';
import { textReader } from '../../../producers/run/question.ts';
import type { Context } from '../../context.ts';
import { type Reached, reached } from './reached.ts';

export interface ContextOptions {
  readonly context?: string;
  readonly maxTokens?: number;
}

type Recorded = Awaited<ReturnType<typeof buildContext>>['recorded'];

export async function context(at: Context, asked: RunReference | undefined, options: ContextOptions): Promise<number> {
  const form = options.context === undefined ? null : formNamed(options.context);
  const budget = options.maxTokens ?? null;
  return await withLedgerToAnswer(at.session, async (ledger) => {
    const place = await reached(ledger, asked);
    const blobs = new OpenedBlobs(blobsUrl(at.session));
    try {
      const building = buildingOf(place, form, budget, textsIn(blobs));
      const { data, text, isRecorded } = await shown(building);
      if (at.flags.json) await at.printJson({ ...data, text: { text } });
      // A program takes the very bytes; a terminal must not be steered by them.
      else await at.print(at.io.stdout.isTTY ? visibleLines(text) : text);
      await at.say(lineOf(place, data, isRecorded));
      return 0;
    } finally {
      await blobs.close();
    }
  });
}

/** Where there are no blobs at all, a text that is kept as one is no more. */
function textsIn(blobs: OpenedBlobs): Building['textOf'] {
  return async (text) => {
    if ('text' in text) return text.text;
    const store = await blobs.toRead();
    return store === null ? null : await textReader(async () => store)(text);
  };
}

/** What is not asked for is as the run has it. */
function buildingOf(
  { history, stage, name }: Reached,
  form: Form | null,
  budget: number | null,
  textOf: Building['textOf'],
): Building {
  const { descriptor, contextForm: ofRun, options } = history.started?.data ?? {};
  if (descriptor === undefined) {
    throw new IcecoreError('unsupported', `${name} does not say what its environment is: no context can be built`, {
      facts: { run: history.run },
      remedy: 'Whoever records a run says it with the descriptor in RunStarted.',
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

type RecordedForm = NonNullable<Reached['history']['started']>['data']['contextForm'];

function formOf(form: RecordedForm, name: string): Form {
  if (form !== undefined) return formNamed(nameOfForm(form));
  throw new IcecoreError('usage', `${name} says nothing of what its engineer was shown`, {
    remedy: 'Name a form: --context abstract',
  });
}

async function shown(building: Building): Promise<{ data: Recorded; text: string; isRecorded: boolean }> {
  const recorded = recordedContext(building);
  if (recorded === null) {
    const { recorded: data, shown: built } = await buildContext(building);
    return { data, text: built.text, isRecorded: false };
  }
  const text = await building.textOf(recorded.data.text);
  if (text !== null) return { data: recorded.data, text, isRecorded: true };
  throw new IcecoreError('not-found', 'the text of this context is no more: it was erased, or its blob is missing', {
    facts: { event: recorded.id, digest: recorded.data.digest },
    remedy: 'icecore verify tells which. With another --max-tokens it is built anew from the history.',
  });
}

/** `a@2, abstract: 2,345 of 6,000 tokens, as it was recorded, context 0a1b2c3d4e5f` */
function lineOf({ name, stage }: Reached, data: Recorded, isRecorded: boolean): string {
  const { contextForm, tokens, budget, truncated, exemplars, digest } = data;
  const length =
    budget === 0 ? counted(tokens, 'token') : `${tokens.toLocaleString('en')} of ${counted(budget, 'token')}`;
  const dropped = truncated.map((one) => `${one.dropped} of ${one.kept + one.dropped} ${one.what} of ${one.module}`);
  const left = dropped.length === 0 ? 'nothing left out' : `left out for want of room: ${dropped.join(', ')}`;
  const fewer =
    exemplars === undefined || exemplars.shown === exemplars.of
      ? ''
      : `, ${counted(exemplars.shown, 'rollout')} where other forms of this length show ${exemplars.of}: a comparison with them is confounded`;
  const how = isRecorded ? 'as it was recorded' : 'built now, not recorded';
  const what = nameOfForm(contextForm);
  return `${name}@${stage.stage}, ${what}: ${length}, ${left}${fewer}, ${how}, digest ${shortDigest(digest)}`;
}

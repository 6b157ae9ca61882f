// Events over HTTP: one CloudEvent, a batch of them, or a stream of NDJSON that is acknowledged while it is read. Sending the same
// events again changes nothing.
import { z } from 'zod';
import type { AppendSummary } from '../../../schemas/output.ts';
import { type Ingested, type IngestLine, ingested, ingestLine } from '../../../schemas/server-output.ts';
import { jsonText } from '../../base/printable-json.ts';
import type { LineOutcome } from '../../library/events/append.ts';
import { icecoreErrorOf } from '../../library/faults.ts';
import type { Workspace } from '../../library/workspace.ts';
import { errorInAnswer } from '../errors.ts';
import type { Call } from '../operation.ts';
import { bytesOf, flag, streamRoute, text } from '../route.ts';

/** Media types of a whole body; anything else that is accepted is a stream of lines. */
const wholeBodies = ['application/cloudevents+json', 'application/cloudevents-batch+json', 'application/json'];
export const streams = ['application/x-ndjson', 'application/ndjson'];

export const ingest = streamRoute({
  name: 'ingest',
  method: 'POST',
  path: '/events',
  access: 'write',
  kind: 'ingest',
  thread: 'events',
  summary: 'Append events: CloudEvents, or events as icecore writes them',
  parameters: {
    stream: text.optional().describe('the stream of events that name none'),
    outcomes: flag.optional().describe('in a stream: report every line, not only refused ones'),
    format: z.enum(['json', 'ndjson']),
  },
  body: {
    media: [...wholeBodies, ...streams],
    form: 'format',
    schema: z.union([z.looseObject({}), z.array(z.looseObject({}))]),
    describe:
      'one event, a list of events, or with NDJSON one event per line. Of one event or a list, nothing after a refused one is ' +
      'appended; of NDJSON, everything else is appended. With the headers ce-*, the body is the data of one CloudEvent',
  },
  answers: [
    { media: 'application/json', schema: ingested, describe: 'what became of one event or a list' },
    { media: 'application/x-ndjson', schema: ingestLine, describe: 'what became of a stream, line by line' },
  ],
  async run(workspace, { stream, outcomes = false, format }, call) {
    const target = stream === undefined ? {} : { stream };
    if (format === 'ndjson') await appendLines(workspace, target, outcomes, call);
    else await appendWhole(workspace, target, call);
  },
});

type Target = { readonly stream?: string };

async function appendWhole(
  workspace: Workspace,
  target: Target,
  { signal, input, write }: Call<Uint8Array>,
): Promise<void> {
  const stored: Ingested['outcomes'] = [];
  const onLine = (outcome: LineOutcome): void => {
    // A refused event ends the append, as an error of the whole request.
    if (outcome.outcome !== 'refused') stored.push({ line: outcome.line, outcome: outcome.outcome });
  };
  const summary = await workspace.appendFrom(input, { ...target, onLine, signal });
  await write(bytesOf(`${jsonText({ ...countsOf(summary), outcomes: stored.sort(byLine) })}\n`));
}

async function appendLines(
  workspace: Workspace,
  target: Target,
  isEveryLine: boolean,
  { signal, input, write }: Call<Uint8Array>,
): Promise<void> {
  let waiting: Ingested['outcomes'] = [];
  const flush = async (last: readonly IngestLine[]): Promise<void> => {
    const lines = [...waiting.sort(byLine), ...last];
    waiting = [];
    await write(bytesOf(lines.map((line) => `${jsonText(line)}\n`).join('')));
  };
  const onLine = (outcome: LineOutcome): void => {
    if (outcome.outcome === 'refused')
      waiting.push({ line: outcome.line, outcome: 'refused', error: errorIn(outcome.error) });
    else if (isEveryLine) waiting.push({ line: outcome.line, outcome: outcome.outcome });
  };
  try {
    const summary = await workspace.appendFrom(input, {
      ...target,
      ...{ skipRefused: true, onLine, signal },
      onStored: async ({ appended, existed, rejected, bytes }) =>
        await flush([{ stored: { appended, existed, rejected, bytes } }]),
    });
    await flush([{ summary: countsOf(summary) }]);
  } catch (fault) {
    await flush([{ error: errorIn(fault) }]);
  }
}

function byLine(one: { readonly line: number }, other: { readonly line: number }): number {
  return one.line - other.line;
}

function errorIn(fault: unknown): { kind: IcecoreKind; message: string } {
  const error = icecoreErrorOf(fault);
  return { ...errorInAnswer(error), kind: error.kind, message: error.message };
}

type IcecoreKind = ReturnType<typeof icecoreErrorOf>['kind'];

function countsOf({ appended, existed, rejected, streams, blobs, seconds }: AppendSummary): Omit<Ingested, 'outcomes'> {
  return { appended, existed, rejected, streams, blobs, seconds };
}

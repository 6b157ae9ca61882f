// Events for copies: runs with decisions, evidence whose texts are blobs, recorded answers, redactions.
import { codeOf, versionOf } from '../../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../../schemas/envelope.ts';
import { parseStream, streamOf } from '../../../../schemas/streams.ts';
import { golden, type Json } from '../../../../schemas/testing/golden.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import { noteIn, rolloutIn } from '../../contract/samples.ts';
import { eventId, sha256 } from '../../identity/ids.ts';
import type { Ledger } from '../../ledger.ts';

export type Made = NewEvent<Json>;

/** The smallest event of a type, from the golden files, in another run. */
function like(type: 'RunStarted' | 'ProposalRecorded' | 'ModelAnswered' | 'RunClaimed', run: string, index = 0): Made {
  const { event } = golden(`${type}.v${versionOf(type)}.minimal`);
  return { ...event, id: eventId({ run, stage: 0, kind: codeOf(type), index }), run, causes: [] };
}

export interface ParentReference {
  readonly run: string;
  readonly stage: number;
  readonly revision: number;
  readonly digest: string;
}

export function started(run: string, name: string, parent?: ParentReference): Made {
  const event = like('RunStarted', run);
  return { ...event, data: { ...event.data, name, ...(parent === undefined ? {} : { parent }) } };
}

export function claimed(run: string): Made {
  return like('RunClaimed', run);
}

/** The key of an answer, by the question. */
export function keyOf(question: string): string {
  return sha256(question);
}

export function answered(question: string, prompt?: Json): Made {
  const event = like('ModelAnswered', `answer ${question}`);
  const { prompt: _, ...data } = event.data;
  return { ...event, run: null, stage: null, data: { ...data, key: keyOf(question), ...(prompt && { prompt }) } };
}

/** A decision that cites recorded answers. */
export function proposal(run: string, index: number, questions: readonly string[]): Made {
  const event = like('ProposalRecorded', run, index);
  return { ...event, data: { ...event.data, answers: questions.map((question) => ({ key: keyOf(question) })) } };
}

export function rollout(stream: string, index: number): Made {
  const name = parseStream(stream);
  if (name?.category !== 'evidence') throw new Error(`${stream} holds no rollouts`);
  const { run, stage } = name;
  const id = eventId({ run: stream, stage: 0, kind: codeOf('RolloutRecorded'), index });
  return { ...rolloutIn('evidence-x-1-0-0', index), id, run, stage };
}

/** A rollout whose completion is a blob. */
export function spoken(stream: string, index: number, completion: Json): Made {
  const event = rollout(stream, index);
  return { ...event, data: { ...event.data, completion } };
}

/** Puts a text and names it. */
export async function textIn(blobs: Blobs, text: string): Promise<Json & { blob: string }> {
  const { digest, bytes } = await blobs.put(text);
  return { blob: digest, bytes };
}

/** Names a text that was never put. */
export function textNowhere(text: string): Json & { blob: string } {
  return { blob: sha256(text), bytes: Buffer.byteLength(text) };
}

export function redacted(
  into: string,
  index: number,
  of: { event: string; stream: string; blob: string; field?: string },
): Made {
  const { event } = golden(`Redacted.v${versionOf('Redacted')}`);
  const run = into.startsWith('notes-') ? into.slice('notes-'.length) : null;
  const id = eventId({ run: into, stage: 0, kind: codeOf('Redacted'), index });
  const data = { reason: 'a private address', erased: [{ field: 'data.completion', ...of }] };
  return { ...event, id, run, stage: null, causes: [], data };
}

/** Two runs whose names share a prefix, each with all its streams, and an answer that the second decision of each cites. */
export async function recordRuns(ledger: Ledger, runs: readonly string[]): Promise<void> {
  const add = (stream: string, ...events: NewEvent[]) => ledger.append(stream, events, { expect: 'any' });
  for (const run of runs) await add(streamOf.run(run), started(run, `the ${run}`));
  for (const run of runs) {
    await add(streamOf.work(run), claimed(run));
    const evidence = streamOf.evidence(run, 1, 0, 0);
    await add(evidence, rollout(evidence, 0), rollout(evidence, 1));
    await add(streamOf.answer(keyOf(`what of ${run}?`)), answered(`what of ${run}?`));
    await add(streamOf.run(run), proposal(run, 1, [`what of ${run}?`]));
    await add(streamOf.notes(run), noteIn(streamOf.notes(run), 0));
  }
}

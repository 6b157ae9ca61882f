// The request for a question, and the key of its answer.
import { hash } from 'node:crypto';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Answered, Message, Question, Snapshot } from './conversation.ts';
import { checkpointPlace, type ModelEntry } from './entries.ts';
import type { Place } from './faults.ts';
import type { Secret } from './secret.ts';

export interface AnswerIdentity {
  /** The digest of the messages. */
  readonly context: string;
  readonly model: Pick<Answered['model'], 'name' | 'endpoint' | 'checkpoint'>;
  readonly parameters: Answered['parameters'];
  readonly sample: number;
}

/**
 * The digest of everything that determines the question: with equal keys, a recorded answer replaces a request. It can
 * be computed from a ModelAnswered event, because nothing the endpoint reports is part of it.
 */
export function answerKey({ context, model, parameters, sample }: AnswerIdentity): string {
  const { name, endpoint, checkpoint } = model;
  const identity = {
    name,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
  };
  return digestOf({ context, model: identity, parameters, sample });
}

export function contextDigest(messages: readonly Message[]): string {
  return digestOf(messages.map(({ role, content }) => ({ role, content })));
}

function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}

export interface Prepared {
  /** The part of the record that is known before the answer. */
  readonly asked: Pick<Answered, 'key' | 'model' | 'parameters' | 'context' | 'sample' | 'purpose' | 'prompt'>;
  readonly body: Buffer;
}

/** What faults name. */
export function placeOf({ name, url, key }: ModelEntry): Place {
  return { entry: name, url, key };
}

/** For every request; a body needs further ones. */
export function headersOf(secret: Secret | null): Readonly<Record<string, string>> {
  return { 'user-agent': 'icecore', ...(secret === null ? {} : { authorization: `Bearer ${secret.reveal()}` }) };
}

/** The address and headers for questions. */
export function questioning(
  { url, stream }: ModelEntry,
  { body }: Pick<Prepared, 'body'>,
  secret: Secret | null,
): { readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly body: Buffer } {
  const headers = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    accept: stream ? 'text/event-stream' : 'application/json',
    ...headersOf(secret),
  };
  return { url: new URL(`${url}/chat/completions`), headers, body };
}

export class NoCheckpoint extends IcecoreError {
  override readonly name = 'NoCheckpoint';

  constructor({ name, model }: ModelEntry) {
    super('bad-input', `the model ${name} is named ${model}, but there is no checkpoint yet`, {
      facts: { model: name, called: model },
      remedy: 'Set the model to use before the first training: "base": "Qwen/Qwen3-4B".',
    });
  }
}

export function prepare(entry: ModelEntry, question: Question): Prepared {
  const { messages, sample, purpose, checkpoint = null } = question;
  const model = modelOf(entry, checkpoint);
  const parameters = parametersOf(entry, question);
  const context = contextDigest(messages);
  const key = answerKey({ context, model, parameters, sample });
  const asked = { key, model, parameters, context, sample, prompt: promptOf(messages) };
  return {
    asked: purpose === undefined ? asked : { ...asked, purpose },
    body: Buffer.from(JSON.stringify(bodyOf(entry, model.name, messages, parameters))),
  };
}

function modelOf(entry: ModelEntry, checkpoint: Snapshot | null): Answered['model'] {
  const { name: endpoint, model, base } = entry;
  if (checkpoint !== null) {
    const name = model.replaceAll(checkpointPlace, () => checkpoint.reference);
    return { name, endpoint, checkpoint: checkpoint.digest ?? checkpoint.reference };
  }
  if (!model.includes(checkpointPlace)) return { name: model, endpoint };
  if (base === null) throw new NoCheckpoint(entry);
  return { name: base, endpoint };
}

/** Includes the seed even if it is not sent: answers with different seeds are different answers. */
function parametersOf({ parameters, greedy }: ModelEntry, question: Question): Answered['parameters'] {
  return {
    ...parameters,
    ...(question.greedy === true ? greedy : {}),
    ...question.parameters,
    ...(question.seed === undefined ? {} : { seed: question.seed }),
  };
}

function bodyOf(
  { seeds, stream }: ModelEntry,
  model: string,
  messages: readonly Message[],
  { seed, ...parameters }: Answered['parameters'],
): object {
  return {
    model,
    messages,
    ...parameters,
    ...(seeds && seed !== undefined ? { seed } : {}),
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  };
}

function promptOf(messages: readonly [Message, ...Message[]]): string {
  const [first] = messages;
  return messages.length === 1 && first.role === 'user' ? first.content : JSON.stringify(messages, null, 2);
}

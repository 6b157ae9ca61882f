// Questions to a model and its answers, in the terms of ModelAnswered.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Parameters } from './entries.ts';

type Recorded = EventData['ModelAnswered'];

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** The checkpoint to ask: the name under which it is served, and its digest if known. */
export interface Snapshot {
  readonly reference: string;
  readonly digest?: string | undefined;
}

export interface Question {
  readonly messages: readonly [Message, ...Message[]];
  /** The index among several answers to the same question, from 0. */
  readonly sample: number;
  /** Null: the model before any training. */
  readonly checkpoint?: Snapshot | null;
  /** The random seed: part of the answer's key, and sent to endpoints that support it. */
  readonly seed?: number;
  /** Whether to request the most likely answer instead of a sampled one. */
  readonly greedy?: boolean;
  /** Override the parameters of the model's entry. */
  readonly parameters?: Parameters;
  /** The purpose: proposal, repair, self-summary, plan. */
  readonly purpose?: string;
  readonly signal?: AbortSignal;
}

/** Tokens by kind. Reasoning is part of the output, cached tokens are part of the input. */
export type Usage = Partial<Readonly<Record<'input' | 'output' | 'reasoning' | 'cached', number>>>;

export type Cost = NonNullable<Recorded['cost']>;

/** A paid answer. A ModelAnswered event holds all of it. */
export interface Answered {
  readonly key: string;
  readonly model: Recorded['model'];
  readonly parameters: Parameters;
  /** The digest of the messages. */
  readonly context: string;
  readonly sample: number;
  readonly purpose?: string;
  readonly prompt: string;
  /** Without its reasoning. Null if there is no text. */
  readonly answer: string | null;
  readonly reasoning?: string;
  /** stop, length if truncated, refusal, or other values of endpoints. */
  readonly finishReason: string;
  readonly usage?: Usage;
  readonly cost?: Cost;
  /** Milliseconds and attempts. */
  readonly measured?: Readonly<Record<string, unknown>>;
}

/** Storage for answers: a paid answer is never requested again. */
export interface Book {
  /** The stored answer for this key; null if there is none. */
  find(key: string): Promise<Answered | null>;
  /** Called as soon as an answer arrives, and awaited before the answer is used. */
  keep(answered: Answered): Promise<void>;
}

/** The text was truncated. */
export function isTruncated({ finishReason }: Pick<Answered, 'finishReason'>): boolean {
  return finishReason === 'length';
}

/** Why an answer has no text that was meant as one; null if it has one. */
export function silenceOf({
  answer,
  finishReason,
}: Pick<Answered, 'answer' | 'finishReason'>): 'refusal' | 'content-filter' | 'tool-calls' | null {
  if (finishReason === 'refusal') return 'refusal';
  if (finishReason === 'content_filter') return 'content-filter';
  return answer === null ? 'tool-calls' : null;
}

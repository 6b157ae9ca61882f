// What a model is asked and what it says, in the words of ModelAnswered.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Parameters } from './entries.ts';

type Recorded = EventData['ModelAnswered'];

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** The snapshot to ask: the name it is served under, and its digest where that is known. */
export interface Snapshot {
  readonly reference: string;
  readonly digest?: string | undefined;
}

export interface Question {
  readonly messages: readonly [Message, ...Message[]];
  /** Which of several answers to the same question, from 0. */
  readonly sample: number;
  /** Null: the model before any training. */
  readonly checkpoint?: Snapshot | null;
  /** What chance is to follow: part of the key of the answer, and sent to endpoints that take it. */
  readonly seed?: number;
  /** Whether to have the best answer instead of one drawn. */
  readonly greedy?: boolean;
  /** On top of those of the entry. */
  readonly parameters?: Parameters;
  /** What it is asked for: proposal, repair, self-summary, plan. */
  readonly purpose?: string;
  readonly signal?: AbortSignal;
}

/** Tokens by kind. Thoughts are part of the output, what was read before is part of the input. */
export type Usage = Partial<Readonly<Record<'input' | 'output' | 'reasoning' | 'cached', number>>>;

export type Cost = NonNullable<Recorded['cost']>;

/** An answer that was paid for. A ModelAnswered holds all of it. */
export interface Answered {
  readonly key: string;
  readonly model: Recorded['model'];
  readonly parameters: Parameters;
  /** The digest of the messages. */
  readonly context: string;
  readonly sample: number;
  readonly purpose?: string;
  readonly prompt: string;
  /** Without its thoughts. Null where there is no text. */
  readonly answer: string | null;
  readonly reasoning?: string;
  /** stop; length where it was cut; refusal; and whatever else endpoints say. */
  readonly finishReason: string;
  readonly usage?: Usage;
  readonly cost?: Cost;
  /** Milliseconds and attempts. */
  readonly measured?: Readonly<Record<string, unknown>>;
}

/** Where answers are kept: what was paid for is never asked again. */
export interface Book {
  /** The answer that was kept under this key; null where there is none. */
  find(key: string): Promise<Answered | null>;
  /** Called the moment an answer arrives, and waited for before anybody sees it. */
  keep(answered: Answered): Promise<void>;
}

/** The text was cut before its end. */
export function isTruncated({ finishReason }: Pick<Answered, 'finishReason'>): boolean {
  return finishReason === 'length';
}

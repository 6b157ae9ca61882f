// What an answer is known by: the digest of everything that decides what is asked. Equal keys are the same question, so
// that a record of its answer stands for asking it.
import { hash } from 'node:crypto';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Answered, Message } from './conversation.ts';

export interface Asked {
  /** The digest of the messages. */
  readonly context: string;
  readonly model: Pick<Answered['model'], 'name' | 'endpoint' | 'checkpoint'>;
  readonly parameters: Answered['parameters'];
  readonly sample: number;
}

/** Can be computed again from a ModelAnswered: what the endpoint said of itself has no part in it. */
export function answerKey({ context, model, parameters, sample }: Asked): string {
  const { name, endpoint, checkpoint } = model;
  const told = {
    name,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
  };
  return digestOf({ context, model: told, parameters, sample });
}

export function contextDigest(messages: readonly Message[]): string {
  return digestOf(messages.map(({ role, content }) => ({ role, content })));
}

function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}

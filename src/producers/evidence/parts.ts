// The parts of a stage's evidence: shards have numbers; evidence of trainings and evaluations has a word, which
// determines the streams and the ids of rollouts.
import { isTrainingPart, streamOf } from '../../../schemas/streams.ts';
import { DuplicateId } from '../../ledger/errors.ts';
import { type IdOf, sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';

export interface EvidencePart {
  readonly run: string;
  readonly stage: number;
  /** The number of a shard, or a word. */
  readonly part: number | string;
}

export const trainingPart = 'training';

/** The actor of rollout events. */
export const rolloutActor = 'producer/rollouts';

/** Each attempt has its own range of ids. */
export const idsOfAnAttempt: number = 2 ** 30;

/** The number of id ranges per part. */
export const mostAttempts: number = 2 ** 10;

/** The part of an evaluation: its name if streams can hold it; different names never give the same part. */
export function partNamed(name: string): string {
  const word = name.toLowerCase().replaceAll(/[^a-z0-9.]/g, '_');
  const fits = /^[a-z][a-z0-9._]{0,62}$/.test(word) && !isTrainingPart(word);
  if (fits && word.replaceAll('_', '-') === name) return word;
  return `${word.replace(/^[^a-z]*/, 'suite').slice(0, 40)}.${sha256(name).slice(0, 12)}`;
}

/** The owner of evidence, and the names of its parts. */
export interface EvidenceOwner {
  readonly run: string;
  readonly partOf: (part: string) => string;
}

/** A run records its own evidence. */
export function ownerOf(run: string): EvidenceOwner {
  return { run, partOf: (part) => part };
}

/** The maximum length of a part's name. */
const longestPart = 63;

/** An arm of an ablation records next to the others of the same stage: `place` is its number among them. */
export function armOwner(ablation: string, place: number): EvidenceOwner {
  const partOf = (part: string): string => {
    const whole = `arm${place}.${part}`;
    return whole.length <= longestPart ? whole : `arm${place}.${part.slice(0, 36)}.${sha256(part).slice(0, 12)}`;
  };
  return { run: ablation, partOf };
}

/**
 * The owner of rollout ids in a part: the run itself for shards, so that the ids do not depend on the number of shards.
 */
export function idsOwner({ run, part }: EvidencePart): IdOf['run'] {
  return typeof part === 'number' ? run : `${run}/${part}`;
}

/** The existing attempts at a part in order, with their numbers of events. */
export async function attemptsAt(
  ledger: Ledger,
  { run, stage, part }: EvidencePart,
): Promise<{ readonly attempt: number; readonly stream: string; readonly events: number }[]> {
  const found: { attempt: number; stream: string; events: number }[] = [];
  for await (const ends of ledger.streams(`evidence-${run}-${stage}-${part}-`)) {
    for (const { stream, revision } of ends) {
      const attempt = Number(stream.slice(stream.lastIndexOf('-') + 1));
      if (stream !== streamOf.evidence(run, stage, part, attempt)) continue;
      found.push({ attempt, stream, events: revision + 1 });
    }
  }
  return found.sort((one, other) => one.attempt - other.attempt);
}

/** Continues the last attempt; if it cannot be identical, starts another one, which then counts. */
export async function attempted<Result>(
  ledger: Ledger,
  part: EvidencePart,
  body: (attempt: number) => Promise<Result>,
): Promise<Result> {
  for (let attempt = (await attemptsAt(ledger, part)).at(-1)?.attempt ?? 0; ; attempt++) {
    try {
      return await body(attempt);
    } catch (fault) {
      if (!(fault instanceof DuplicateId) || attempt + 1 >= mostAttempts) throw fault;
    }
  }
}

// What evidence of a stage is of: shards have numbers; what training and evaluations record of themselves has a word, which
// their streams and the ids of their rollouts follow from.
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

/** Who records rollouts. */
export const rolloutActor = 'producer/rollouts';

/** Ids of one attempt are apart from those of another. */
export const idsOfAnAttempt: number = 2 ** 30;

/** So many ranges of ids a part has. */
export const mostAttempts: number = 2 ** 10;

/** The part of an evaluation: its name where streams can hold that, and no other name comes to the same. */
export function partNamed(name: string): string {
  const word = name.toLowerCase().replaceAll(/[^a-z0-9.]/g, '_');
  const fits = /^[a-z][a-z0-9._]{0,62}$/.test(word) && !isTrainingPart(word);
  if (fits && word.replaceAll('_', '-') === name) return word;
  return `${word.replace(/^[^a-z]*/, 'suite').slice(0, 40)}.${sha256(name).slice(0, 12)}`;
}

/** Whose evidence it is, and what its parts are called there. */
export interface EvidenceOwner {
  readonly run: string;
  readonly partOf: (part: string) => string;
}

/** A run records its own. */
export function ownerOf(run: string): EvidenceOwner {
  return { run, partOf: (part) => part };
}

/** The longest name of a part. */
const longestPart = 63;

/** An arm of an ablation records beside all others of the same stage: `place` is its own among them. */
export function armOwner(ablation: string, place: number): EvidenceOwner {
  const partOf = (part: string): string => {
    const whole = `arm${place}.${part}`;
    return whole.length <= longestPart ? whole : `arm${place}.${part.slice(0, 36)}.${sha256(part).slice(0, 12)}`;
  };
  return { run: ablation, partOf };
}

/** Whose ids the rollouts of a part have: a shard's are the run's own, so that they are the same into however many it is split. */
export function idsOwner({ run, part }: EvidencePart): IdOf['run'] {
  return typeof part === 'number' ? run : `${run}/${part}`;
}

/** The attempts at a part that are there, in their order, each with how many events it has. */
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

/** Goes on with the last attempt; where it cannot be the same, another one is made, and that one counts. */
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

// Which records of a topic count as events of which stream, and where streams are. A stream's events are the records that have
// the revisions 0, 1, 2, ... in the order of their offsets; of two records with one revision the first counts, and what comes
// after a missing revision does not.
import type { EvidencePlace } from '../ledger.ts';
import type { FoundEvent } from '../remote/log.ts';

export interface KnownStream {
  /** From its first event to its last. */
  readonly place: EvidencePlace;
  /** Of the last event. */
  readonly revision: number;
  readonly digest: string;
}

/** What a record is in its stream. */
export type Standing = 'counts' | 'repeated' | 'after a gap';

/** The streams in one partition, as a scan from its beginning finds them. */
export class PartitionStreams {
  readonly #partition: number;
  readonly #streams = new Map<string, { from: number; to: number; revision: number; digest: string }>();

  constructor(partition: number) {
    this.#partition = partition;
  }

  add({ stream, revision, digest }: Pick<FoundEvent, 'stream' | 'revision' | 'digest'>, offset: number): Standing {
    const known = this.#streams.get(stream);
    const standing = standingOf(revision, known?.revision ?? -1);
    if (standing !== 'counts') return standing;
    if (known === undefined) this.#streams.set(stream, { from: offset, to: offset, revision, digest });
    else Object.assign(known, { to: offset, revision, digest });
    return standing;
  }

  get(stream: string): KnownStream | null {
    const known = this.#streams.get(stream);
    if (known === undefined) return null;
    const { from, to, revision, digest } = known;
    return { place: { partition: this.#partition, from, to }, revision, digest };
  }

  names(prefix: string): readonly string[] {
    return [...this.#streams.keys()].filter((name) => name.startsWith(prefix));
  }
}

/** `last`: the last revision that counts so far; -1 where none does. */
export function standingOf(revision: number, last: number): Standing {
  if (revision === last + 1) return 'counts';
  return revision <= last ? 'repeated' : 'after a gap';
}

/** So many streams are remembered, those that were seen last. */
const rememberedStreams = 100_000;

/** Tells a follower, who may begin in the middle of streams, which records it has delivered already. */
export class Deliveries {
  readonly #last = new Map<string, number>();
  readonly #fromBeginning: boolean;

  constructor(fromBeginning: boolean) {
    this.#fromBeginning = fromBeginning;
  }

  standingOf({ stream, revision }: Pick<FoundEvent, 'stream' | 'revision'>): Standing {
    const last = this.#last.get(stream) ?? (this.#fromBeginning ? -1 : revision - 1);
    const standing = standingOf(revision, last);
    if (standing !== 'counts') return standing;
    this.#last.delete(stream);
    this.#last.set(stream, revision);
    if (this.#last.size > rememberedStreams) {
      for (const oldest of this.#last.keys()) {
        this.#last.delete(oldest);
        break;
      }
    }
    return standing;
  }
}

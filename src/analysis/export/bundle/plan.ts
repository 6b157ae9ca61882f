// What a bundle will be, found by reading everything that goes into it once: its members with their sizes and digests stand
// at its beginning, so that whoever reads it knows what must come. When it is written, everything is read a second time.
import type { BundleManifest, BundleMember } from '../../../../schemas/bundle.ts';
import { isChained } from '../../../../schemas/streams.ts';
import type { Blobs } from '../../../ledger/blobs/blobs.ts';
import { DamagedEvent } from '../../../ledger/errors.ts';
import type { Cursor } from '../../../ledger/event.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { Redactions } from '../../../ledger/redactions.ts';
import type { RunFound } from '../../../ledger/runs.ts';
import { Span } from '../../../ledger/seal/span.ts';
import { type StoredEvent, skim } from '../../../ledger/stored.ts';
import { findBlobs, NamedBlobs } from './blobs.ts';
import { type Contents, contentsOf, eventsOf } from './contents.ts';
import { manifestText, memberLine } from './manifest.ts';
import { partsOf } from './parts.ts';

export interface Plan {
  readonly contents: Contents;
  readonly until: Cursor;
  readonly members: readonly BundleMember[];
  readonly lost: readonly string[];
  readonly list: Buffer;
  readonly manifest: Buffer;
  readonly described: Omit<BundleManifest, 'digest'>;
}

interface PlanOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (events: number) => Promise<void>;
}

/** Throws DamagedEvent, BlobsLost. */
export async function planOf(
  ledger: Ledger,
  blobs: Blobs | null,
  run: RunFound,
  { signal, onProgress }: PlanOptions = {},
): Promise<Plan> {
  const redacted = await new Redactions(ledger).look();
  const { cursor: until } = await ledger.head();
  const contents = await contentsOf(ledger, run);
  const counted = new Counted();
  const parts: BundleMember[] = [];
  const look = async (events: readonly StoredEvent[]): Promise<void> => {
    counted.look(events);
    await onProgress?.(counted.events);
    signal?.throwIfAborted();
  };
  for await (const { name, text } of partsOf(eventsOf(ledger, contents.streams, until), look)) {
    parts.push({ name, bytes: text.length, sha256: sha256(text) });
  }
  const found = await findBlobs(counted.blobs, blobs, redacted, async () => {
    await onProgress?.(counted.events);
    signal?.throwIfAborted();
  });
  const members = [...found.members, ...parts];
  const list = Buffer.from(members.map(memberLine).join(''));
  const described = descriptionOf(ledger, contents, counted, { members, list, lost: found.lost });
  const manifest = Buffer.from(manifestText(described));
  return { contents, until, members, lost: found.lost, list, manifest, described };
}

/** What the manifest says about the events. What cannot be opened elsewhere is not packed. */
class Counted {
  readonly blobs = new NamedBlobs();
  readonly elsewhere = new Elsewhere();
  /** By stream, the digest of the last event. */
  readonly streams = new Map<string, string>();
  readonly #tree = new Span();

  look(events: readonly StoredEvent[]): void {
    for (const event of events) {
      this.#requireSound(event);
      this.streams.set(event.stream, event.digest);
      this.elsewhere.look(event);
      this.#tree.add(event.digest);
    }
    this.blobs.look(events);
  }

  #requireSound(event: StoredEvent): void {
    const { previous } = skim(event);
    const before = this.streams.get(event.stream) ?? null;
    if (!isChained(event.stream) || previous === before) return;
    throw new DamagedEvent(event.stream, event.revision, 'it does not continue the event before it');
  }

  get events(): number {
    return this.#tree.to;
  }

  root(): string {
    return this.#tree.root();
  }
}

interface Members {
  readonly members: readonly BundleMember[];
  readonly list: Buffer;
  readonly lost: readonly string[];
}

function descriptionOf(
  ledger: Ledger,
  { run, ancestors, missing, ablations, code }: Contents,
  counted: Counted,
  { members, list, lost }: Members,
): Plan['described'] {
  return {
    format: 'icecore-bundle/1',
    run,
    ancestors: [...ancestors],
    missing: [...missing],
    ablations: [...ablations],
    ledger: ledger.id,
    code: code === null ? null : { ...code },
    events: counted.events,
    streams: counted.streams.size,
    root: counted.root(),
    blobs: members.filter(({ name }) => name.startsWith('blobs/')).length,
    lost: lost.length,
    elsewhere: [...counted.elsewhere.names()],
    members: {
      count: members.length,
      bytes: members.reduce((sum, { bytes }) => sum + bytes, 0),
      listBytes: list.length,
      sha256: sha256(list),
    },
  };
}

// Checkpoints that are no blobs but names of something elsewhere: of a model on a server, a folder on a cluster. A bundle
// cannot bring them, and says so.

/** The first names a run that leaves out more of them. */
const most = 100;

class Elsewhere {
  readonly #names = new Set<string>();

  look(event: StoredEvent): void {
    if (event.type !== 'TrainingRecorded' || this.#names.size >= most) return;
    const { reading } = event;
    if (!reading.known || reading.type !== 'TrainingRecorded') return;
    const { checkpoint } = reading.data;
    if (checkpoint === null || checkpoint === undefined) return;
    const { reference, digest } = checkpoint;
    if (reference !== digest) this.#names.add(reference);
  }

  names(): readonly string[] {
    return [...this.#names].sort();
  }
}

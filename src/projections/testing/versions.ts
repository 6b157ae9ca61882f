// Versions of icecore with different event types and tables, and what they all record into: events in memory, because a
// ledger refuses types outside its own catalogue.
import { z } from 'zod';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { eventTypes } from '../../../schemas/catalogue.ts';
import { rolloutRecorded } from '../../../schemas/evidence.ts';
import { type EventType, eventType, nextVersion } from '../../../schemas/family.ts';
import { runAnnotated } from '../../../schemas/notes.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { examplesOf, fingerprintOf } from '../../../schemas/testing/fingerprints.ts';
import { eventIds, sha256 } from '../../ledger/identity/ids.ts';
import type { ReadOptions } from '../../ledger/ledger.ts';
import { StoredEvent } from '../../ledger/stored.ts';
import type { Source } from '../projector/source.ts';
import { type TableCatalogue, tableDefinitions } from '../tables/catalogue.ts';
import { parseDefinition, type TableDefinition } from '../tables/definition.ts';

/** Few tables, and no views: making all of them takes longer than filling them. */
const oldDefinitions: readonly TableDefinition[] = tableDefinitions()
  .filter(({ name }) => ['events', 'rollouts', 'failures', 'model_calls', 'notes'].includes(name))
  .map((definition) => ({ ...definition, made: [] }));

/** Table `rollouts` has one more column. */
function withMood(definition: TableDefinition): TableDefinition {
  if (definition.name !== 'rollouts') return definition;
  const [fill] = definition.fills;
  const create = definition.stored.get('rollouts');
  if (fill === undefined || create === undefined) throw new Error('table rollouts is filled by one statement');
  return {
    ...definition,
    stored: new Map(definition.stored).set('rollouts', create.replace(/\n\)$/, ',\n  mood VARCHAR\n)')),
    fills: [{ ...fill, sql: fill.sql.replace(/\nFROM batch$/, ',\n  data.mood\nFROM batch') }],
  };
}

const moons = parseDefinition(
  'moons',
  `CREATE TABLE log.moons (stream VARCHAR, revision BIGINT, phase DOUBLE);

-- fill from MoonRisen
INSERT INTO log.moons SELECT stream, revision, data.phase FROM batch;
`,
);

const moonRisen = eventType({
  type: 'MoonRisen',
  code: 251,
  in: ['notes'],
  stage: 'maybe',
  summary: 'The moon rose.',
  data: z.strictObject({ phase: z.number() }),
});

const { shape } = rolloutRecorded.versions[0];
const moody = z.strictObject({ ...shape, mood: z.string() });

/** The next version of rollouts, whose upcast gives earlier ones some mood. */
function rolloutsUpcastTo(mood: string): EventType {
  return nextVersion(rolloutRecorded, moody, (old) => ({ ...old, mood }));
}

/** Notes with a tone; earlier ones have an unknown tone. */
const toned = nextVersion(runAnnotated, runAnnotated.versions[0].extend({ tone: z.string() }), (old) => ({
  ...old,
  tone: 'unknown',
}));

function catalogueOf(definitions: readonly TableDefinition[], ...others: readonly EventType[]): TableCatalogue {
  const types = new Map([...eventTypes, ...others.map((declared) => [declared.type, declared] as const)]);
  const fingerprints = new Map(
    Array.from(types.values(), (declared) => [declared.type, fingerprintOf(declared, examplesOf(declared.type))]),
  );
  return { definitions, types, fingerprints, ownTypes: new Set() };
}

export interface Version {
  readonly catalogue: TableCatalogue;
  /** The mood in table rollouts of rollouts without one; null if it has no such column. */
  readonly mood: string | null;
  readonly hasMoons: boolean;
}

const newDefinitions = [...oldDefinitions.map(withMood), moons];

export const versions = {
  old: { catalogue: catalogueOf(oldDefinitions), mood: null, hasMoons: false },
  /** Knows the type, and fills nothing with it. */
  'one more type': { catalogue: catalogueOf(oldDefinitions, moonRisen), mood: null, hasMoons: false },
  /** Reads the next version of rollouts, into the same tables. */
  'one more version': { catalogue: catalogueOf(oldDefinitions, rolloutsUpcastTo('calm')), mood: null, hasMoons: false },
  new: { catalogue: catalogueOf(newDefinitions, rolloutsUpcastTo('calm'), moonRisen), mood: 'calm', hasMoons: true },
  /** Upcasts rollouts differently, and notes as well. */
  newest: {
    catalogue: catalogueOf(newDefinitions, rolloutsUpcastTo('grim'), moonRisen, toned),
    mood: 'grim',
    hasMoons: true,
  },
} satisfies Readonly<Record<string, Version>>;

export type VersionName = keyof typeof versions;

export type Kind = 'rollout' | 'note' | 'moon';

const run = 'k3v9q2m8x1tz';
const streams = { rollout: streamOf.evidence(run, 1, 0, 0), note: streamOf.notes(run), moon: streamOf.notes(run) };

/** What several versions of icecore record into. */
export class Events implements Source {
  readonly id = 'a ledger';
  readonly all: StoredEvent[] = [];
  readonly #ids = eventIds({ run, stage: 1, kind: 120 });

  /** Each kind as the version writes it; a version writes no unknown kinds. */
  append({ catalogue: { types } }: Version, kinds: readonly Kind[]): void {
    const newest = (type: string): number => types.get(type)?.versions.length ?? 0;
    for (const kind of kinds) {
      if (kind === 'moon' && types.has('MoonRisen')) this.#add('MoonRisen', 1, streams.moon, { phase: 0.5 });
      const tone = newest('RunAnnotated') > 1 ? { tone: 'dry' } : {};
      if (kind === 'note') this.#add('RunAnnotated', newest('RunAnnotated'), streams.note, { says: 'cold', ...tone });
      const mood = newest('RolloutRecorded') > 1 ? { mood: 'bright' } : {};
      if (kind === 'rollout')
        this.#add('RolloutRecorded', newest('RolloutRecorded'), streams.rollout, { ...rollout, ...mood });
    }
  }

  #add(type: string, version: number, stream: string, data: Record<string, unknown>): void {
    const index = this.all.length;
    const revision = this.all.filter((event) => event.stream === stream).length;
    const id = this.#ids(index);
    const stage = type === 'RolloutRecorded' ? 1 : null;
    const at = '2026-07-01T12:00:00Z';
    const event = { id, stream, revision, type, version, at, actor: 'producer/run', run, stage, causes: [], data };
    const body = canonicalJson(event);
    const filed = id.replaceAll('-', '');
    this.all.push(new StoredEvent(stream, revision, type, filed, 0, sha256(body), body, String(index)));
  }

  async *read(stream: string, { to = Infinity }: ReadOptions = {}): AsyncGenerator<readonly StoredEvent[]> {
    yield this.all.filter((event) => event.stream === stream && event.revision <= to);
  }

  async *readAll(options: Parameters<Source['readAll']>[0]): AsyncGenerator<readonly StoredEvent[]> {
    const { after, until, types, limit } = options;
    const from = after === undefined ? 0 : Number(after) + 1;
    const to = until === undefined ? this.all.length : Number(until) + 1;
    const found = this.all.slice(from, to).filter(({ type }) => types === undefined || types.includes(type));
    for (let at = 0; at < Math.min(found.length, limit ?? found.length); at += 4)
      yield found.slice(at, Math.min(at + 4, limit ?? found.length));
  }
}

const rollout = { environment: 'maze', split: 'probe', policy: 'neural', outcome: 'valid' };

// All tables, in the order in which they are documented, and the types of events they are filled from.
import { readFileSync } from 'node:fs';
import { eventTypes } from '../../../schemas/catalogue.ts';
import type { EventTypes } from '../../../schemas/check.ts';
import { fingerprints } from '../../../schemas/fingerprints.ts';
import { parseDefinition, type TableDefinition } from './definition.ts';

const names = [
  'runs',
  'lineage',
  'stages',
  'configs',
  'knobs',
  'families',
  'decisions',
  'knob_changes',
  'proposals',
  'predictions',
  'evaluations',
  'evaluation_failures',
  'training',
  'training_curve',
  'training_signal',
  'learning_signal',
  'alerts',
  'stage_stats',
  'stage_failures',
  'rollouts',
  'failures',
  'summaries',
  'facts',
  'exemplars',
  'contexts',
  'context_evidence',
  'ablations',
  'arms',
  'arm_errors',
  'arm_results',
  'arm_evidence',
  'contrasts',
  'model_calls',
  'notes',
  'erasures',
  'attempts',
  'events',
  'curriculum',
  'knob_effects',
  'engineer_scorecard',
  'macros',
] as const;

let read: readonly TableDefinition[] | undefined;

export function tableDefinitions(): readonly TableDefinition[] {
  read ??= names.map((name) =>
    parseDefinition(name, readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8').replaceAll('\r\n', '\n')),
  );
  return read;
}

/** All that decides what tables hold, beside the events. */
export interface TableCatalogue {
  readonly definitions: readonly TableDefinition[];
  /** The types that can be read. Events of others, and of versions that they do not have, stand in table `events` alone. */
  readonly types: EventTypes;
  /** Of each type, what changes when its events are read otherwise. */
  readonly fingerprints: ReadonlyMap<string, string>;
}

let own: TableCatalogue | undefined;

/** The tables and types of this icecore. */
export function tableCatalogue(): TableCatalogue {
  own ??= { definitions: tableDefinitions(), types: eventTypes, fingerprints: new Map(Object.entries(fingerprints)) };
  return own;
}

// All tables, in the order in which they are documented.
import { readFileSync } from 'node:fs';
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
  'context_labels',
  'ablations',
  'arms',
  'arm_results',
  'arm_comparisons',
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

// What `icecore list --json` prints: the registered names.
import { z } from 'zod';
import { amounts, moment, runId, stageNumber } from './primitives.ts';

/** Where a list entry comes from. */
export const from = z
  .string()
  .describe(
    'icecore, the testbed, the name of a plugin, or the settings file that defines the model or loads the plugin',
  );

function listOf<Row extends z.ZodType>(row: Row) {
  return z.strictObject({
    as_of: moment,
    total: z.int().nonnegative(),
    rows: z.array(row),
    truncated: z.boolean(),
  });
}

export const listEngineers = listOf(
  z.strictObject({
    name: z.string().describe('what --engineer accepts'),
    does: z.string(),
    from,
    model: z.string().nullable().describe('the model of the settings that it asks; null: not a model engineer'),
  }),
);

export const listContexts = listOf(
  z.strictObject({
    name: z.string().describe('what --context accepts; + joins modules'),
    kind: z.enum(['form', 'module']),
    shows: z.string(),
    from,
    modules: z.array(z.string()).describe('in their order within a context'),
  }),
);

export const listEnvironments = listOf(
  z.strictObject({
    name: z.string().describe('what --environment accepts'),
    is: z.string(),
    from,
    families: z.array(z.string()),
    knobs: z.array(z.string()),
    benchmarks: z.array(z.string()).describe('what --suite accepts'),
    trainer: z.string().describe('the default of --trainer'),
    budget: amounts.describe('the default of --budget'),
    configuration: z.record(z.string(), z.unknown()).describe('the default of --config'),
  }),
);

export const listAblations = listOf(
  z.strictObject({
    ablation: runId,
    name: z.string(),
    at: moment.nullable().describe('when it started'),
    state: z.enum(['running', 'completed', 'stopped']).describe('stopped: repeating its command continues it'),
    depth: z.enum(['propose', 'train', 'run']).nullable().describe('null: a newer icecore recorded it'),
    arms: z.array(z.string()),
    seeds: z.int().nonnegative().nullable().describe('null: another icecore recorded it'),
    histories: z.array(
      z.strictObject({
        run: runId,
        name: z.string().nullable().describe('null: the run is not in this ledger'),
        decisions: z.array(stageNumber).describe('the stages whose configuration is decided again'),
      }),
    ),
    tags: z.array(z.string()),
    notes: z.string().nullable(),
    conclusion: z.string().nullable().describe('the most important of its conclusions; null: it is not completed'),
  }),
);

/** The output of `icecore list ablations --json`: the recorded ablations, newest first. */
export type ListAblations = z.infer<typeof listAblations>;
/** The output of `icecore list engineers --json`: the engineers that a run can name. */
export type ListEngineers = z.infer<typeof listEngineers>;
/** The output of `icecore list contexts --json`: the context forms and modules that an engineer can be shown. */
export type ListContexts = z.infer<typeof listContexts>;
/** The output of `icecore list environments --json`: the environments with their families and knobs. */
export type ListEnvironments = z.infer<typeof listEnvironments>;

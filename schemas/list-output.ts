// What `icecore list --json` prints: what is registered under a name.
import { z } from 'zod';
import { moment } from './primitives.ts';

/** Where an entry comes from. */
export const from = z
  .string()
  .describe('icecore, the testbed, a plugin by its name, or the settings file that names a model or brings the plugin');

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
    model: z.string().nullable().describe('the model of the settings that is asked; null for other engineers'),
  }),
);

export const listContexts = listOf(
  z.strictObject({
    name: z.string().describe('what --context accepts; + joins modules'),
    kind: z.enum(['form', 'module']),
    shows: z.string(),
    from,
    modules: z.array(z.string()).describe('in the order in which a context has them'),
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
  }),
);

/** What `icecore list engineers --json` prints: the engineers that a run can name. */
export type ListEngineers = z.infer<typeof listEngineers>;
/** What `icecore list contexts --json` prints: the forms and modules that an engineer can be shown. */
export type ListContexts = z.infer<typeof listContexts>;
/** What `icecore list environments --json` prints: the environments, with their families and knobs. */
export type ListEnvironments = z.infer<typeof listEnvironments>;

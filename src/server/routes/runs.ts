// Routes about runs: lists, stages, reasons, differences.
import { z } from 'zod';
import { found, IcecoreError } from '../../../schemas/errors.ts';
import { jsonOrUndefined } from '../../../schemas/json-text.ts';
import { listAblations } from '../../../schemas/list-output.ts';
import { outputs } from '../../../schemas/output.ts';
import { frameChoices, rolloutShown } from '../../../schemas/rollout-output.ts';
import { type RolloutsPage, rolloutsPage } from '../../../schemas/server-output.ts';
import { quote } from '../../base/sql-quoting.ts';
import type { Workspace } from '../../library/workspace.ts';
import {
  eventReference,
  flag,
  given,
  jsonRoute,
  number,
  type ParametersOf,
  run,
  stage,
  text,
  texts,
  whole,
} from '../route.ts';

export const runs = jsonRoute({
  name: 'runs',
  path: '/runs',
  summary: 'Runs, newest first',
  parameters: {
    tag: text.optional(),
    environment: text.optional(),
    arms: flag.optional().describe('include runs of ablation arms'),
    limit: whole(1, 10_000).optional().describe('maximum number of rows (default 20)'),
  },
  answer: outputs.runs,
  describe: 'as icecore runs --json',
  run: (workspace, parameters, signal) => workspace.runs({ ...given(parameters), signal }),
});

export const show = jsonRoute({
  name: 'show',
  path: '/runs/{run}',
  summary: 'A run with its stages, or one stage',
  parameters: { run, all: flag.optional().describe('include what is left out while a person decides') },
  answer: z.union([outputs.show, outputs['show-stage']]),
  describe: 'as icecore show --json',
  run: (workspace, { run, ...options }, signal) => workspace.show(run, { ...given(options), signal }),
});

export const why = jsonRoute({
  name: 'why',
  path: '/runs/{run}/why',
  summary: 'Why a stage was configured as it was, by default the last one that was decided',
  parameters: {
    run,
    knob: text.optional().describe('one knob (8.hole), or a family (8)'),
    detail: whole(1, 4).optional().describe('1 knobs, 2 evidence ids, 3 their figures, 4 the rollouts'),
  },
  answer: outputs.why,
  describe: 'as icecore why --json',
  run: (workspace, { run, knob, detail }, signal) =>
    workspace.why(run, { ...given({ knob, detail: depths.find((depth) => depth === detail) }), signal }),
});

const depths = [1, 2, 3, 4] as const;

export const audit = jsonRoute({
  name: 'audit',
  path: '/runs/{run}/audit',
  summary: 'Every change with its reason, whether its citations are valid, and its effect',
  parameters: { run },
  answer: outputs.audit,
  describe: 'as icecore audit --json',
  run: (workspace, { run }, signal) => workspace.audit(run, { signal }),
});

export const report = jsonRoute({
  name: 'report',
  path: '/runs/{run}/report',
  summary: 'Everything about a run',
  parameters: { run, all: flag.optional().describe('include what is left out while a person decides') },
  answer: outputs.report,
  describe: 'as icecore report --json',
  run: (workspace, { run, ...options }, signal) => workspace.report(run, { ...given(options), signal }),
});

export const context = jsonRoute({
  name: 'context',
  path: '/runs/{run}/context',
  summary: 'What an engineer is shown for a decision, by default the next one',
  parameters: {
    run,
    context: text.optional().describe('a form, or modules joined by + (default: that of the run)'),
    tokens: whole(0, 10_000_000).optional().describe('maximum length; 0 is unlimited (default: that of the run)'),
  },
  answer: outputs.context,
  describe: 'as icecore context --json',
  run: async (workspace, { run, context, tokens }, signal) => ({
    ...(await workspace.context(run, { ...given({ context, contextTokens: tokens }), signal })),
  }),
});

export const diff = jsonRoute({
  name: 'diff',
  path: '/diff',
  summary: 'What differs between two stages; a single one is compared with the one before it',
  parameters: {
    from: stage,
    to: stage.optional(),
    all: flag.optional().describe('also what is equal'),
  },
  answer: outputs.diff,
  describe: 'as icecore diff --json',
  run: (workspace, { from, to, ...options }, signal) => workspace.diff(from, to, { ...given(options), signal }),
});

export const compare = jsonRoute({
  name: 'compare',
  path: '/compare',
  summary: 'Compare runs, or stages of them',
  parameters: {
    run: texts.optional().describe('RUN or RUN@K, several times'),
    tag: text.optional().describe('include all runs with this tag'),
    against: text.optional().describe('the baseline (default: the first run)'),
    suite: text.optional().describe('a suite, or probe (default: validation)'),
    measure: text.optional(),
    by: texts.optional().describe('settings that define the arms'),
    despite: texts.optional().describe('compare although these differ'),
    margin: number.optional().describe('treat smaller differences as equivalent'),
    all: flag.optional().describe('include equal settings, and what is left out while a person decides'),
  },
  answer: outputs.compare,
  describe: 'as icecore compare --json',
  run: (workspace, { run = [], ...options }, signal) => workspace.compare(run, { ...given(options), signal }),
});

export const ablations = jsonRoute({
  name: 'ablations',
  path: '/ablations',
  summary: 'Recorded ablations, newest first',
  parameters: {},
  answer: listAblations,
  describe: 'their arms and histories, without results',
  run: (workspace, _, signal) => workspace.ablations({ signal }),
});

export const ablation = jsonRoute({
  name: 'ablation',
  path: '/ablations/{ablation}',
  summary: 'The results of a recorded ablation',
  parameters: { ablation: text.describe('its name, the start of it, or latest') },
  answer: outputs.ablate,
  describe: 'as icecore ablate --show --json',
  run: (workspace, { ablation }, signal) => workspace.ablation(ablation, { signal }),
});

const ofRollouts = {
  run,
  split: text.optional(),
  part: text.optional().describe('a column of the SQL table: the part of the stage, such as a benchmark'),
  family: text.optional(),
  outcome: text.optional(),
  failure_class: text.optional(),
  success: flag.optional(),
  after: text.optional().describe('next of the page before'),
  limit: whole(1, 1_000).optional().describe('maximum number of rows (default 100)'),
};

export const rollouts = jsonRoute({
  name: 'rollouts',
  path: '/runs/{run}/rollouts',
  summary: 'Rollouts of a run or a stage, page by page',
  parameters: ofRollouts,
  answer: rolloutsPage,
  describe: 'rows of the SQL table rollouts that count',
  run: rolloutsOf,
});

export const rollout = jsonRoute({
  name: 'rollout',
  path: '/rollouts/{event}',
  summary: 'Everything about one rollout, with a picture of each of its steps',
  parameters: {
    event: eventReference,
    frames: z
      .enum(frameChoices)
      .optional()
      .describe(
        'pictures of single steps: all, none, or one of them; failed is the first step that failed, else the last one; ' +
          'fewer than all leave out drawings in motion as well (default: all)',
      ),
    plan: flag.optional().describe('false: neither look for the best answer nor draw it'),
  },
  answer: rolloutShown,
  describe: 'what was asked, answered and judged; drawings are made by its environment, if that is registered here',
  run: (workspace, { event, ...pictures }, signal) => workspace.rollout(event, { ...given(pictures), signal }),
});

const columns =
  'id, run, stage, split, part, family, task, sample, outcome, success, failure_class, reward, agent_steps, error_kind, ' +
  "strftime(happened_at, '%Y-%m-%dT%H:%M:%S.%gZ') AS happened_at, run_id, stream, revision, sealed";

/** A page begins after a row, not at a number: new rollouts change no page that was read before. */
async function rolloutsOf(
  workspace: Workspace,
  parameters: ParametersOf<typeof ofRollouts>,
  signal: AbortSignal,
): Promise<RolloutsPage> {
  const { run, after, limit = 100, success, ...equal } = parameters;
  const shown = await workspace.show(run, { signal });
  const conditions = [
    ...('stage' in shown
      ? [`run_id = ${recorderOf(shown)}`, `stage = ${shown.stage}`]
      : [`run_id = ${quote(shown.run)}`]),
    ...Object.entries(given(equal)).map(([column, value]) => `${column} = ${quote(String(value))}`),
    ...(success === undefined ? [] : [success ? 'success' : 'NOT success']),
  ];
  const matching = `SELECT ${columns} FROM rollouts WHERE ${conditions.join(' AND ')}`;
  const [later, earlier] =
    after === undefined ? ['true', 'false'] : [`${order} > ${placeIn(after)}`, `${order} <= ${placeIn(after)}`];
  const page = await workspace.sql(
    `WITH matching AS (${matching}), earlier AS (SELECT stage, stream, revision FROM matching WHERE ${earlier}) ` +
      'SELECT *, (SELECT count(*) FROM matching) AS total, (SELECT count(*) FROM earlier) AS before, ' +
      `(SELECT {'stage': stage, 'stream': stream, 'revision': revision} FROM earlier ORDER BY ${order} DESC LIMIT 1 OFFSET ${limit}) AS previous ` +
      `FROM matching WHERE ${later} ORDER BY ${order} LIMIT ${limit + 1}`,
    { schema: counted, signal },
  );
  const rows = page.slice(0, limit).map(({ total, before, previous, ...row }) => row);
  const [first] = page;
  const last = rows.at(-1);
  const truncated = page.length > limit;
  return {
    as_of: new Date().toISOString(),
    total: first?.total ?? (after === undefined ? 0 : null),
    before: first?.before ?? (after === undefined ? 0 : null),
    rows,
    previous: first?.previous == null ? null : placeOf(first.previous),
    next: truncated && last !== undefined ? placeOf(last) : null,
    truncated,
  };
}

/** A shared stage of a fork is recorded under its parent. */
function recorderOf({ run, stage }: { readonly run: string; readonly stage: number }): string {
  return `coalesce((SELECT recorder_id FROM lineage WHERE run_id = ${quote(run)} AND stage = ${stage}), ${quote(run)})`;
}

const order = '(coalesce(stage, 0), stream, revision)';

const placed = z.strictObject({ stage: z.int().nullable(), stream: z.string(), revision: z.int() });

const counted = rolloutsPage.shape.rows.element.extend({
  total: z.int(),
  before: z.int(),
  previous: placed.nullable(),
});

/** Its position in the order of pages: a stage, a stream, a revision. */
const place = z.tuple([z.int(), z.string(), z.int()]);

function placeOf({ stage, stream, revision }: z.infer<typeof placed>): string {
  return Buffer.from(JSON.stringify([stage ?? 0, stream, revision])).toString('base64url');
}

function placeIn(after: string): string {
  const read = place.safeParse(jsonOrUndefined(Buffer.from(after, 'base64url').toString()));
  if (!read.success)
    throw new IcecoreError('usage', `after: found ${found(after)}, allowed: the value of next of a page`, {
      facts: { field: 'after', found: after },
    });
  const [stage, stream, revision] = read.data;
  return `(${stage}, ${quote(stream)}, ${revision})`;
}

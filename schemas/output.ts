// What `icecore COMMAND --json` prints: one schema a command, published as JSON Schema in json/output. The types here are
// what the commands build; nothing of this is loaded when they run.
import { z } from 'zod';
import { ablate, ablationPlan } from './ablation-output.ts';
import { audit } from './audit-output.ts';
import { adopt, context, propose, stageFinish, stageStart } from './by-hand-output.ts';
import { compare } from './compare-output.ts';
import { cause } from './envelope.ts';
import { errorKinds } from './errors.ts';
import {
  exportBundle,
  exportEvents,
  exportTables,
  importBundle,
  importNdjson,
  ledgerUrl,
  path,
  redactedTexts,
} from './export-output.ts';
import { findingKinds } from './finding-kinds.ts';
import { head, proof } from './head.ts';
import { lakeEvaluate, lakeLeaderboard, lakeRollout } from './lake-evaluation-output.ts';
import { lakeBench, lakeGenerate, lakeJudge, lakeReport, lakeShow, lakeSolve, lakeSuites } from './lake-output.ts';
import { listContexts, listEngineers, listEnvironments } from './list-output.ts';
import { actor, count, digest, moment, runId, stageNumber, stream, uuid } from './primitives.ts';
import { report } from './report-output.ts';
import { annotate, diff, runs, show, showStage } from './run-output.ts';
import { runResult } from './run-result.ts';
import { sql, sqlRecipes } from './sql-output.ts';
import { project, sqlPath, sqlTables } from './tables-output.ts';
import { lakeTrain } from './training-output.ts';
import { why } from './why-output.ts';
import { workResult } from './work-result.ts';

const seconds = z.number().nonnegative();

/** Whatever fails prints this instead of its result, or after what it had printed of a stream. */
const error = z.strictObject({
  error: z
    .looseObject({
      kind: z.enum(errorKinds),
      message: z.string(),
      remedy: z.string().describe('what to do about it').optional(),
    })
    .describe('with the facts of the error beside: field, found, allowed, line, path, ...'),
});

const init = z.strictObject({
  home: path,
  madeHome: z.boolean().describe('false: it was there'),
  ledger: ledgerUrl,
  ledgerId: z.string().describe("the ledger's own identity"),
  madeLedger: z.boolean().describe('false: it was there'),
  blobs: z.string().nullable().describe('where blobs go, as --blobs says; null without it'),
  config: path.nullable().describe('the settings that were written; null where none were'),
  environment: z
    .array(z.string())
    .describe('the variables that have to be set for every command: who one is stands in no settings'),
});

const append = z.strictObject({
  ledger: ledgerUrl,
  dryRun: z.boolean().describe('true: events were checked and nothing was written'),
  valid: count.describe('events that were appended, were there, or could be appended'),
  appended: count,
  existed: count.describe('events that were there already'),
  rejected: count,
  rejects: path.nullable().describe('the file with the rejected lines'),
  blobs: count.describe('that were written, each once; those that were there are not counted'),
  erased: count.describe('texts that were not kept, because the ledger says that they were erased'),
  streams: count,
  moreStreams: z.boolean().describe('true: there were more streams than were counted'),
  bytes: count.describe('read, without blank lines'),
  seconds,
  perSecond: count,
});

const blob = z
  .strictObject({
    store: z.string().describe('the URL of the blob store'),
    blob: digest,
    bytes: count,
    erased: z
      .string()
      .nullable()
      .describe('the Redacted event that says it was erased, so that it was not kept; null where it was'),
  })
  .describe('what blob put prints; blob and bytes are what an event says of it');

const recorded = {
  id: uuid,
  stream,
  revision: count,
  type: z.string(),
  version: z.int().positive(),
  at: moment,
  actor,
  run: runId.nullable(),
  stage: stageNumber.nullable(),
  causes: z.array(cause),
  data: z.unknown().describe('see the schema of its type and version'),
  previous: digest.nullable(),
  recordedAt: moment,
  digest,
} as const;

/** One line of the NDJSON that `tail --json` prints. */
const tail = z.strictObject({
  ...recorded,
  cursor: z.string().describe('what to give to --after to go on'),
  unsealed: z
    .literal(true)
    .describe('with -f, where evidence has a store of its own: no run event has reported it yet')
    .optional(),
});

const event = z.strictObject(recorded);

const cloudEvent = z
  .strictObject({
    specversion: z.literal('1.0'),
    id: uuid,
    source: z.string().min(1).describe('the actor, as a relative URI reference'),
    type: z.string().regex(/^icecore\./),
    subject: stream,
    time: moment,
    datacontenttype: z.literal('application/json'),
    schemaversion: z.int().positive(),
    run: runId.optional(),
    stage: stageNumber.optional(),
    causes: z.string().describe('a list as JSON text').optional(),
    revision: z.union([count, z.string().regex(/^[1-9][0-9]{9,15}$/)]),
    previous: digest.optional(),
    recordedat: moment,
    digest,
    unsealed: z.literal(true).describe('as in tail --json').optional(),
    data: z.unknown(),
  })
  .describe('what event tail --cloudevents and event show --cloudevents print: CloudEvents 1.0');

const check = z.strictObject({
  name: z.string(),
  status: z.enum(['ok', 'warning', 'failed']),
  found: z.string(),
  remedy: z.string().describe('empty where nothing is to be done'),
});

/** Lists stand in an envelope that says whether they are whole. */
function listOf<Row extends z.ZodType>(row: Row) {
  return {
    as_of: moment,
    total: count.describe('how many there are'),
    rows: z.array(row),
    truncated: z.boolean().describe('true: there are more than `rows` holds'),
  } as const;
}

const doctor = z.strictObject({
  status: z.enum(['ok', 'warning', 'failed']).describe('the worst of all checks'),
  ...listOf(check),
});

const trust = z.strictObject({
  action: z.enum(['listed', 'trusted', 'revoked']),
  ...listOf(
    z.strictObject({
      kind: z.enum(['config', 'host', 'workspace', 'program']),
      name: z.string().describe('the path, the host, or the command line'),
      detail: z.string(),
      at: moment.describe('when it was allowed'),
    }),
  ),
});

const finding = z.strictObject({
  kind: z.enum(findingKinds),
  fault: z.boolean().describe('false: worth knowing, and no fault'),
  where: z.string().describe('run-x@4, a stream, a part of the file'),
  event: z.string().nullable().describe("the event's id, where it is about one"),
  says: z.string(),
});

const verify = z.strictObject({
  status: z
    .enum(['sound', 'unsupported', 'faulty'])
    .describe('unsupported: nothing is wrong, and figures were found whose rollouts are not recorded'),
  ledger: ledgerUrl,
  ledgerId: z.string(),
  run: runId.nullable().describe('null: everything was verified'),
  events: count,
  bytes: count,
  blobs: count.describe('how many times an event names a blob'),
  attempts: count.describe('sealed attempts, held against their seals'),
  opaque: count.describe('events whose type or version this icecore does not know'),
  head: z
    .strictObject({
      at: moment,
      events: count,
      root: digest,
      signedBy: z.string().nullable().describe('the fingerprint of the key that signed it'),
      trusted: z.boolean().describe('whether --key asked for that key'),
    })
    .nullable()
    .describe('null: none was given, so that nothing can tell whether the last events were cut off'),
  recomputed: z
    .strictObject({
      runs: count,
      rollouts: count.describe('judged again by their environment'),
      trainings: count.describe('whose curve, learning signal and counts were added up again from their rollouts'),
      evaluations: count.describe('whose figures were added up again from their rollouts'),
      unsupported: count.describe(
        'trainings and evaluations whose rollouts are not recorded: nothing vouches for their figures',
      ),
      summaries: count,
      contexts: count,
      proposals: count.describe('whose changes and scores were computed again'),
      decisions: count,
      skipped: count.describe(
        'of all these, that could not be computed again: findings of kind not-recomputed say why',
      ),
      seconds,
      rolloutsPerSecond: count,
    })
    .nullable()
    .describe('what was computed again and compared; null: nothing was asked for, or what is recorded cannot be read'),
  faults: count,
  seconds,
  perSecond: count,
  ...listOf(finding),
});

const redact = z.strictObject({
  ledger: ledgerUrl,
  blobs: z.string().describe('the URL of the blob store'),
  remains: z
    .array(z.strictObject({ event: uuid, place: z.string(), field: z.string() }))
    .describe('with --partly: texts that stand in the events themselves and were not erased'),
  ...listOf(
    z.strictObject({
      event: uuid,
      place: z.string(),
      field: z.string(),
      blob: digest,
      by: z.string().describe('the Redacted event that says so'),
      isNew: z.boolean().describe('false: that it is erased was recorded before'),
      wasThere: z.boolean().describe('false: the store had no such blob'),
    }),
  ),
});

const copy = z.strictObject({
  from: ledgerUrl,
  to: ledgerUrl,
  run: runId.nullable(),
  parent: z
    .strictObject({
      run: runId,
      stage: stageNumber.describe('the last stage whose history is shared'),
      isThere: z.boolean().describe('false: the history it shares is not in the copy'),
    })
    .nullable()
    .describe('the run whose history the copied run, a fork, shares; null: no run was asked for, or it is no fork'),
  events: count.describe('of the original, that the copy now has'),
  copied: count.describe('of these, by this call'),
  blobs: count.describe('that were copied by this call'),
  lost: count.describe('blobs that events name and the original does not have, though nobody redacted them'),
  lostBlobs: z.array(digest).describe('the first thousand of these'),
  redacted: redactedTexts,
  unreported: z
    .strictObject({ streams: count, events: count })
    .describe(
      'evidence that no run event reports: of a split ledger it is not copied, in one it is stored and not read',
    ),
  ownStreams: z
    .array(stream)
    .describe('streams x-… of the original: they belong to no run, and a copy of one run has none of them'),
  streams: count.nullable().describe('null: everything, in the same order'),
  root: digest.describe('the Merkle root both have in common'),
  seconds,
  perSecond: count,
});

const seal = z.strictObject({
  ledger: ledgerUrl,
  run: runId,
  stage: stageNumber,
  event: uuid.describe('the EvidenceSealed'),
  stream,
  revision: count,
  isNew: z.boolean().describe('false: the same seal was there'),
  attempts: z.array(z.strictObject({ stream, count, root: digest })),
});

const demo = z.strictObject({
  folder: path,
  ...listOf(z.strictObject({ command: z.string(), shows: z.string(), exitCode: z.int(), output: z.string() })),
});

const completion = z.strictObject({
  shell: z.enum(['bash', 'zsh', 'fish']),
  script: z.string(),
});

const version = z.strictObject({ version: z.string() });

/** Every schema by the name of its file. */
export const outputs = {
  ablate,
  'ablate-plan': ablationPlan,
  adopt,
  annotate,
  audit,
  'blob-put': blob,
  cloudEvent,
  compare,
  completion,
  context,
  demo,
  diff,
  doctor,
  error,
  'event-append': append,
  'event-redact': redact,
  'event-show': event,
  'event-tail': tail,
  'export-bundle': exportBundle,
  'export-events': exportEvents,
  'export-tables': exportTables,
  fork: runResult,
  'import-bundle': importBundle,
  'import-ndjson': importNdjson,
  init,
  'lake-bench': lakeBench,
  'lake-evaluate': lakeEvaluate,
  'lake-generate': lakeGenerate,
  'lake-judge': lakeJudge,
  'lake-leaderboard': lakeLeaderboard,
  'lake-report': lakeReport,
  'lake-rollout': lakeRollout,
  'lake-show': lakeShow,
  'lake-solve': lakeSolve,
  'lake-suites': lakeSuites,
  'lake-train': lakeTrain,
  'ledger-copy': copy,
  'ledger-head': head,
  'ledger-prove': proof,
  'ledger-seal': seal,
  'list-contexts': listContexts,
  'list-engineers': listEngineers,
  'list-environments': listEnvironments,
  'list-tables': sqlTables,
  propose,
  report,
  resume: runResult,
  run: runResult,
  runs,
  show,
  'show-stage': showStage,
  sql,
  'sql-path': sqlPath,
  'sql-recipes': sqlRecipes,
  'stage-finish': stageFinish,
  'stage-start': stageStart,
  'tables-refresh': project,
  trust,
  verify,
  version,
  why,
  worker: workResult,
} as const;

/** What `icecore init --json` prints: the workspace and the ledger, and whether each is new. */
export type InitResult = z.infer<typeof init>;
/** What `icecore event append --json` prints: how many events were new, already there or rejected. */
export type AppendSummary = z.infer<typeof append>;
/** What `icecore blob put --json` prints: the digest by which an event names the blob. */
export type BlobPut = z.infer<typeof blob>;
export type Check = z.infer<typeof check>;
/** What `icecore doctor --json` prints: each check with its result and a remedy. */
export type DoctorReport = z.infer<typeof doctor>;
/** What `icecore trust --json` prints: what this user has allowed on this machine. */
export type TrustResult = z.infer<typeof trust>;
export type DemoReport = z.infer<typeof demo>;
/** What `icecore verify --json` prints: what was examined, and every fault that was found. */
export type VerifyReport = z.infer<typeof verify>;
/** What `icecore event redact --json` prints: the texts that were erased, and those that remain. */
export type RedactResult = z.infer<typeof redact>;
/** What `icecore ledger copy --json` prints: what was copied, and the Merkle root that both ledgers share. */
export type CopyResult = z.infer<typeof copy>;
/** What `icecore ledger seal --json` prints: the seal, and the attempts it covers. */
export type SealResult = z.infer<typeof seal>;
export type VersionResult = z.infer<typeof version>;

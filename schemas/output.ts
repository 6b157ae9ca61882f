// What `icecore COMMAND --json` prints: one schema per command, published as JSON Schema in json/output. Commands use only the
// types at run time; the schemas are not loaded.
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
import { headroom } from './headroom-output.ts';
import { lakeEvaluate, lakeLeaderboard, lakeRollout } from './lake-evaluation-output.ts';
import { lakeBench, lakeGenerate, lakeJudge, lakeReport, lakeShow, lakeSolve, lakeSuites } from './lake-output.ts';
import { listAblations, listContexts, listEngineers, listEnvironments } from './list-output.ts';
import { actor, count, digest, moment, runId, stageNumber, stream, uuid } from './primitives.ts';
import { report } from './report-output.ts';
import { annotate, diff, runs, show, showStage } from './run-output.ts';
import { runResult } from './run-result.ts';
import { serve } from './server-output.ts';
import { sql, sqlRecipes } from './sql-output.ts';
import { project, sqlPath, sqlTables } from './tables-output.ts';
import { lakeTrain } from './training-output.ts';
import { why } from './why-output.ts';
import { workResult } from './work-result.ts';

const seconds = z.number().nonnegative();

/** A failing command prints this instead of its result, or after the part of a stream that it printed. */
const error = z.strictObject({
  error: z
    .looseObject({
      kind: z.enum(errorKinds),
      message: z.string(),
      remedy: z.string().describe('how to solve it').optional(),
    })
    .describe('also contains the facts of the error: field, found, allowed, line, path, ...'),
});

const init = z.strictObject({
  workspace: path,
  createdWorkspace: z.boolean().describe('false: it already existed'),
  ledger: ledgerUrl,
  ledgerId: z.string().describe('the id of the ledger'),
  createdLedger: z.boolean().describe('false: it already existed'),
  blobs: z.string().nullable().describe('where blobs are stored, from --blobs; null: not given'),
  config: path.nullable().describe('the written settings file; null: none'),
  environment: z
    .array(z.string())
    .describe('environment variables to set for every command; settings contain no credentials'),
});

const append = z.strictObject({
  ledger: ledgerUrl,
  dryRun: z.boolean().describe('true: events were checked and nothing was written'),
  valid: count.describe('events that were appended, already existed, or could be appended'),
  appended: count,
  existed: count.describe('events that already existed'),
  rejected: count,
  rejects: path.nullable().describe('the file with the rejected lines'),
  blobs: count.describe('number of new blobs'),
  erased: count.describe('texts that were not stored, because the ledger records their erasure'),
  streams: count,
  moreStreams: z.boolean().describe('true: there were more streams than this'),
  bytes: count.describe('bytes read, without blank lines'),
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
      .describe('the Redacted event that erased it, so that it was not stored; null: it was stored'),
  })
  .describe('the output of blob put; events name the blob by `blob` and `bytes`');

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

/** A line of the NDJSON that `tail --json` prints. */
const tail = z.strictObject({
  ...recorded,
  cursor: z.string().describe('the value for --after to continue'),
  unsealed: z
    .literal(true)
    .describe('with -f, if evidence has a separate store: no run event has reported it yet')
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
  .describe('the output of event tail --cloudevents and event show --cloudevents: CloudEvents 1.0');

const check = z.strictObject({
  name: z.string(),
  status: z.enum(['ok', 'warning', 'failed']),
  found: z.string(),
  remedy: z.string().describe('empty: nothing to do'),
});

/** An envelope for lists, which tells whether the list is complete. */
function listOf<Row extends z.ZodType>(row: Row) {
  return {
    as_of: moment,
    total: count.describe('total number of rows'),
    rows: z.array(row),
    truncated: z.boolean().describe('true: `rows` is incomplete'),
  } as const;
}

const doctor = z.strictObject({
  status: z.enum(['ok', 'warning', 'failed']).describe('the worst status of all checks'),
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
  fault: z.boolean().describe('false: worth knowing, but no fault'),
  where: z.string().describe('run-x@4, a stream, a part of the file'),
  event: z.string().nullable().describe('the id of the event, if it concerns one'),
  says: z.string(),
});

const verify = z.strictObject({
  status: z
    .enum(['sound', 'unsupported', 'faulty'])
    .describe('unsupported: nothing is wrong, but the rollouts behind some figures are not recorded'),
  ledger: ledgerUrl,
  ledgerId: z.string(),
  run: runId.nullable().describe('null: everything was verified'),
  shared: z
    .strictObject({ run: runId, name: z.string(), stages: count })
    .nullable()
    .describe('of a fork: the run that recorded its first stages, which were not verified; null: none, or everything'),
  events: count,
  bytes: count,
  blobs: count.describe('number of references from events to blobs'),
  attempts: count.describe('sealed attempts, checked against their seals'),
  opaque: count.describe('events whose type or version this icecore does not know'),
  head: z
    .strictObject({
      at: moment,
      events: count,
      root: digest,
      signedBy: z.string().nullable().describe('the fingerprint of the key that signed it'),
      trusted: z.boolean().describe('whether it is the key given with --key'),
    })
    .nullable()
    .describe('null: no head was given, so missing last events cannot be detected'),
  recomputed: z
    .strictObject({
      runs: count,
      rollouts: count.describe('rollouts judged again by their environment'),
      trainings: count.describe(
        'trainings whose curve, learning signal and counts were recomputed from their rollouts',
      ),
      evaluations: count.describe('evaluations whose figures were recomputed from their rollouts'),
      unsupported: count.describe(
        'trainings and evaluations whose rollouts are not recorded, so their figures cannot be checked',
      ),
      summaries: count,
      contexts: count,
      proposals: count.describe('proposals whose changes and scores were recomputed'),
      answers: count.describe('proposals of language models whose recorded answers were read again'),
      decisions: count,
      skipped: count.describe(
        'number of these that could not be recomputed; findings of kind not-recomputed give the reasons',
      ),
      seconds,
      rolloutsPerSecond: count,
    })
    .nullable()
    .describe('what was recomputed and compared; null: not requested, or the records cannot be read'),
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
    .describe('with --partly: texts that are inside the events and were not erased'),
  ...listOf(
    z.strictObject({
      event: uuid,
      place: z.string(),
      field: z.string(),
      blob: digest,
      by: z.string().describe('the Redacted event'),
      isNew: z.boolean().describe('false: the erasure was recorded before'),
      wasThere: z.boolean().describe('false: the blob store did not have it'),
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
      isThere: z.boolean().describe('false: the shared history is not in the copy'),
    })
    .nullable()
    .describe('the run whose history the copied fork shares; null: no run was requested, or it is not a fork'),
  events: count.describe('number of events of the original in the copy'),
  copied: count.describe('number of events copied now'),
  blobs: count.describe('number of blobs copied now'),
  lost: count.describe('blobs that events name but the original lacks without a redaction'),
  lostBlobs: z.array(digest).describe('the first thousand of these'),
  redacted: redactedTexts,
  unreported: z
    .strictObject({ streams: count, events: count })
    .describe(
      'evidence that no run event reports; it is not copied from a split ledger, and is stored but not read in one',
    ),
  ownStreams: z
    .array(stream)
    .describe('streams x-… of the original, which a copy of one run omits, since they belong to no run'),
  streams: count.nullable().describe('number of streams; null: everything, in the same order'),
  root: digest.describe('the common Merkle root'),
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
  isNew: z.boolean().describe('false: the same seal already existed'),
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

/** Every schema by file name. */
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
  'lab-headroom': headroom,
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
  'list-ablations': listAblations,
  'list-contexts': listContexts,
  'list-engineers': listEngineers,
  'list-environments': listEnvironments,
  'list-tables': sqlTables,
  propose,
  report,
  resume: runResult,
  run: runResult,
  runs,
  serve,
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

/** The output of `icecore init --json`: the workspace and the ledger, and whether each is new. */
export type InitResult = z.infer<typeof init>;
/** The output of `icecore event append --json`: the number of new, existing and rejected events. */
export type AppendSummary = z.infer<typeof append>;
/** The output of `icecore blob put --json`: the digest by which an event names the blob. */
export type BlobPut = z.infer<typeof blob>;
export type Check = z.infer<typeof check>;
/** The output of `icecore doctor --json`: each check with its result and a remedy. */
export type DoctorReport = z.infer<typeof doctor>;
/** The output of `icecore trust --json`: what this user has allowed on this machine. */
export type TrustResult = z.infer<typeof trust>;
export type DemoReport = z.infer<typeof demo>;
/** The output of `icecore verify --json`: what was examined, and all findings. */
export type VerifyReport = z.infer<typeof verify>;
/** The output of `icecore event redact --json`: the erased texts, and those that remain. */
export type RedactResult = z.infer<typeof redact>;
/** The output of `icecore ledger copy --json`: what was copied, and the Merkle root that both ledgers share. */
export type CopyResult = z.infer<typeof copy>;
/** The output of `icecore ledger seal --json`: the seal, and the attempts it covers. */
export type SealResult = z.infer<typeof seal>;
export type VersionResult = z.infer<typeof version>;

// The decisions of a run in order: it starts, each stage starts and completes, evidence is sealed, a configuration is
// adopted, and the run ends.
import { z } from 'zod';
import { contradictions } from './contradictions.ts';
import { descriptor } from './environment.ts';
import type { Issue } from './errors.ts';
import { eventType, type Place } from './family.ts';
import {
  alert,
  armReference,
  checkpoint,
  codeVersion,
  component,
  configuration,
  engineer,
  form,
  measurement,
  source,
  suite,
} from './parts.ts';
import {
  amounts,
  count,
  details,
  digest,
  evidenceStream,
  measured,
  name,
  runId,
  stageNumber,
  uuid,
  wideInteger,
} from './primitives.ts';
import { adoptionFields, changedOnce, contextReference } from './proposal.ts';
import { namedTwice } from './sense.ts';
import { parseStream } from './streams.ts';

export const runStarted = eventType({
  type: 'RunStarted',
  code: 1,
  in: ['run'],
  stage: 'never',
  summary: 'A run began, with everything it was asked to do and resolved to.',
  data: z.strictObject({
    name: name.describe('the name people use'),
    environment: component,
    descriptor: descriptor.optional(),
    options: details.describe('every option as it was resolved, defaults included').optional(),
    seed: wideInteger.optional(),
    policy: component.optional(),
    trainer: component.optional(),
    engineer: engineer.optional(),
    contextForm: form.optional(),
    suites: z.array(suite).optional(),
    stages: count.describe('how many stages are planned').optional(),
    budget: amounts.describe('by unit, for a stage: agent-steps, updates, tokens').optional(),
    parent: z
      .strictObject({
        run: runId,
        stage: stageNumber.describe('the last stage whose history is shared'),
        revision: count.describe("the last revision of the parent's run stream that is shared"),
        digest: digest.describe('of the event at that revision: it vouches for all before it'),
      })
      .describe('the history this run shares by reference: it is a fork')
      .optional(),
    arm: armReference.describe('the arm of an ablation that goes on as this run').optional(),
    tags: z.array(name).optional(),
    notes: z.string().describe('what the run is for').optional(),
    code: codeVersion.optional(),
    source: source.optional(),
    measured: measured.optional(),
  }),
  sense: (data) => (data.descriptor === undefined ? [] : contradictions(data.descriptor, 'data.descriptor')),
});

export const runTakenOver = eventType({
  type: 'RunTakenOver',
  code: 8,
  in: ['run', 'ablation'],
  stage: 'never',
  summary:
    'Another process took the run over from one that did not release it; whatever the former still appends is refused.',
  data: z.strictObject({
    fencingToken: z.int().min(1).describe('of the claim by which it was taken over'),
    holder: name.describe('who has it now'),
    from: name.describe('who had it before'),
    measured: measured.optional(),
  }),
});

export const stageStarted = eventType({
  type: 'StageStarted',
  code: 2,
  in: ['run'],
  stage: 'always',
  summary: 'A stage began on a configuration, from a checkpoint.',
  data: z.strictObject({
    configuration: configuration.describe('the configuration in force').optional(),
    adopted: uuid.nullable().describe('the ConfigAdopted it comes from; null where none was recorded').optional(),
    checkpoint: checkpoint.nullable().describe('what training starts from; null: from nothing').optional(),
    seed: wideInteger.optional(),
    budget: amounts.describe('by unit').optional(),
    shards: count.describe('into how many shards its rollouts are split').optional(),
    measured: measured.optional(),
  }),
});

const attempt = z.strictObject({
  stream: evidenceStream,
  count: count.describe('how many of its events count: revisions 0 to count - 1'),
  root: digest.describe('the Merkle root over their digests (RFC 6962, in the order of revisions)'),
});

export const evidenceSealed = eventType({
  type: 'EvidenceSealed',
  code: 3,
  in: ['run', 'ablation'],
  stage: 'always',
  summary:
    'The attempts whose evidence counts for a stage, those of one part in their order; any other attempt of the stage lost.',
  data: z.strictObject({
    attempts: z.array(attempt),
    measured: measured.optional(),
  }),
  sense: ({ attempts }, place) => [...strayAttempts(attempts, place), ...attemptsNamedTwice(attempts)],
});

export const configAdopted = eventType({
  type: 'ConfigAdopted',
  code: 4,
  in: ['run'],
  stage: 'always',
  summary: 'The configuration of a stage was decided: by whom, from which proposal, what changes and why.',
  data: z.strictObject({
    by: z
      .enum(['engineer', 'human', 'initial', 'kept', 'errored'])
      .describe(
        'kept: the configuration stays because no proposal could be used; errored: because its engineer could not answer',
      ),
    proposal: uuid.nullable().describe('the ProposalRecorded it comes from'),
    context: contextReference
      .nullable()
      .describe('the context whose evidence ids its reasons cite; null where none was shown'),
    configuration,
    previous: digest.nullable().describe('the digest of the configuration it replaces'),
    ...adoptionFields,
    measured: measured.optional(),
  }),
  sense: (data) => [...changedOnce(data), ...withoutProposal(data)],
});

export const stageCompleted = eventType({
  type: 'StageCompleted',
  code: 5,
  in: ['run'],
  stage: 'always',
  summary: 'A stage is over.',
  data: z.strictObject({
    checkpoint: checkpoint.nullable().describe('what it leaves behind; null where nothing was trained').optional(),
    results: z.array(measurement).describe('its headline figures').optional(),
    alerts: z.array(alert).optional(),
    spent: amounts.optional(),
    measured: measured.optional(),
  }),
});

export const runCompleted = eventType({
  type: 'RunCompleted',
  code: 6,
  in: ['run'],
  stage: 'never',
  summary: 'A run did all it was asked to do.',
  data: z.strictObject({
    stages: count.describe('how many stages were completed'),
    checkpoint: checkpoint.nullable().optional(),
    results: z.array(measurement).optional(),
    spent: amounts.optional(),
    measured: measured.optional(),
  }),
});

export const runFailed = eventType({
  type: 'RunFailed',
  code: 7,
  in: ['run'],
  stage: 'maybe',
  summary: 'A run stopped before its end.',
  data: z.strictObject({
    reason: name.describe('the kind of error, or who stopped it'),
    message: z.string(),
    during: name.describe('what was being done: train, evaluate, propose').optional(),
    resumable: z.boolean().describe('whether `icecore resume` can go on from here'),
    details: details.optional(),
    measured: measured.optional(),
  }),
});

function strayAttempts(attempts: readonly { stream: string }[], { run, stage }: Place): Issue[] {
  return attempts.flatMap(({ stream }, i) => {
    const named = parseStream(stream);
    if (named?.category === 'evidence' && named.run === run && named.stage === stage) return [];
    const allowed = `an evidence stream of run ${run}, stage ${stage}`;
    return [{ field: `data.attempts[${i}].stream`, found: `"${stream}"`, allowed }];
  });
}

function attemptsNamedTwice(attempts: readonly { stream: string }[]): Issue[] {
  return namedTwice(
    attempts.map(({ stream }, i) => ({ name: stream, field: `data.attempts[${i}].stream` })),
    'each attempt once',
  );
}

function withoutProposal({ by, proposal }: { by: string; proposal: string | null }): Issue[] {
  if (by !== 'engineer' || proposal !== null) return [];
  return [{ field: 'data.proposal', found: 'null', allowed: 'the id of the proposal, where an engineer decided' }];
}

// The events of a run in order: it starts, each stage starts and completes, evidence is sealed, a configuration is adopted,
// and the run ends.
import { z } from 'zod';
import { contradictions } from './contradictions.ts';
import { duplicateNames } from './duplicate-names.ts';
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
import { parseStream } from './streams.ts';

export const runStarted = eventType({
  type: 'RunStarted',
  code: 1,
  in: ['run'],
  stage: 'never',
  summary: 'A run started, with all its resolved settings.',
  data: z.strictObject({
    name: name.describe('the name of the run'),
    environment: component,
    descriptor: descriptor.optional(),
    options: details.describe('every option as resolved, including defaults').optional(),
    seed: wideInteger.optional(),
    policy: component.optional(),
    trainer: component.optional(),
    engineer: engineer.optional(),
    contextForm: form.optional(),
    suites: z.array(suite).optional(),
    stages: count.describe('number of planned stages').optional(),
    budget: amounts.describe('of a stage, by unit: agent-steps, updates, tokens').optional(),
    parent: z
      .strictObject({
        run: runId,
        stage: stageNumber.describe('the last stage whose history is shared'),
        revision: count.describe("the last shared revision of the parent's run stream"),
        digest: digest.describe('of the event at that revision, and through its chain of all events before it'),
      })
      .describe('the shared history, by reference, if the run is a fork')
      .optional(),
    arm: armReference.describe('the arm of an ablation that this run continues').optional(),
    tags: z.array(name).optional(),
    notes: z.string().describe('the purpose of the run').optional(),
    code: codeVersion.optional(),
    source: source.optional(),
    measured: measured.optional(),
  }),
  crossCheck: (data) => (data.descriptor === undefined ? [] : contradictions(data.descriptor, 'data.descriptor')),
});

export const runTakenOver = eventType({
  type: 'RunTakenOver',
  code: 8,
  in: ['run', 'ablation'],
  stage: 'never',
  summary:
    'Another process took over a run that was not released; appends of the former process are refused from now on.',
  data: z.strictObject({
    fencingToken: z.int().min(1).describe('the token of the claim that took it over'),
    holder: name.describe('the new holder'),
    from: name.describe('the former holder'),
    measured: measured.optional(),
  }),
});

export const stageStarted = eventType({
  type: 'StageStarted',
  code: 2,
  in: ['run'],
  stage: 'always',
  summary: 'A stage started with a configuration and a checkpoint.',
  data: z.strictObject({
    configuration: configuration.describe('the configuration in force').optional(),
    adopted: uuid.nullable().describe('the ConfigAdopted it comes from; null: none was recorded').optional(),
    checkpoint: checkpoint
      .nullable()
      .describe('the checkpoint that training starts from; null: from scratch')
      .optional(),
    seed: wideInteger.optional(),
    budget: amounts.describe('by unit').optional(),
    shards: count.describe('number of shards into which its rollouts are split').optional(),
    measured: measured.optional(),
  }),
});

const attempt = z.strictObject({
  stream: evidenceStream,
  count: count.describe('number of its events that count: revisions 0 to count - 1'),
  root: digest.describe('the Merkle root over their digests (RFC 6962, in the order of revisions)'),
});

export const evidenceSealed = eventType({
  type: 'EvidenceSealed',
  code: 3,
  in: ['run', 'ablation'],
  stage: 'always',
  summary:
    'The attempts whose evidence counts for a stage, those of one part in order; all other attempts of the stage lost.',
  data: z.strictObject({
    attempts: z.array(attempt),
    measured: measured.optional(),
  }),
  crossCheck: ({ attempts }, place) => [...strayAttempts(attempts, place), ...duplicateAttempts(attempts)],
});

export const configAdopted = eventType({
  type: 'ConfigAdopted',
  code: 4,
  in: ['run'],
  stage: 'always',
  summary: 'The configuration of a stage was decided: by whom, from which proposal, the changes and their reasons.',
  data: z.strictObject({
    by: z
      .enum(['engineer', 'human', 'initial', 'kept', 'errored'])
      .describe(
        'kept: the configuration stays because no proposal was usable; errored: because its engineer could not answer',
      ),
    proposal: uuid.nullable().describe('the ProposalRecorded it comes from'),
    context: contextReference
      .nullable()
      .describe('the context whose evidence ids its reasons cite; null: no context was shown'),
    configuration,
    previous: digest.nullable().describe('the digest of the configuration it replaces'),
    ...adoptionFields,
    measured: measured.optional(),
  }),
  crossCheck: (data) => [...changedOnce(data), ...withoutProposal(data)],
});

export const stageCompleted = eventType({
  type: 'StageCompleted',
  code: 5,
  in: ['run'],
  stage: 'always',
  summary: 'A stage completed.',
  data: z.strictObject({
    checkpoint: checkpoint.nullable().describe('the checkpoint after it; null: nothing was trained').optional(),
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
  summary: 'A run completed all its stages.',
  data: z.strictObject({
    stages: count.describe('number of completed stages'),
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
  summary: 'A run stopped early.',
  data: z.strictObject({
    reason: name.describe('the kind of error, or the source of the interruption'),
    message: z.string(),
    during: name.describe('the step that was interrupted: train, evaluate, propose').optional(),
    resumable: z.boolean().describe('whether `icecore resume` can continue'),
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

function duplicateAttempts(attempts: readonly { stream: string }[]): Issue[] {
  return duplicateNames(
    attempts.map(({ stream }, i) => ({ name: stream, field: `data.attempts[${i}].stream` })),
    'each attempt once',
  );
}

function withoutProposal({ by, proposal }: { by: string; proposal: string | null }): Issue[] {
  if (by !== 'engineer' || proposal !== null) return [];
  return [{ field: 'data.proposal', found: 'null', allowed: 'the id of the proposal, since an engineer decided' }];
}

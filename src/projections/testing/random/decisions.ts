// Random decisions about configurations: contexts, proposals, rejections, adoptions.
import { canonicalJson } from '../../../../schemas/canonical.ts';
import type { EventData } from '../../../../schemas/catalogue.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import { changed, type Environment } from './environment.ts';
import { randomText } from './evidence.ts';
import { checkpoint } from './measures.ts';
import type { Draw } from './words.ts';
import type { Configuration } from './world.ts';

type Proposal = EventData['ProposalRecorded'];
type Rejection = EventData['ProposalRejected'];
type Adoption = EventData['ConfigAdopted'];
type Context = EventData['ContextRecorded'];

const evidenceIds = ['F1', 'S8.holes', "B'8", 'größe', '🦆', 'a.b'];

export function randomContext(draw: Draw, { families }: Environment, history: Context['history']): Context {
  const citable = Object.fromEntries(
    draw.some(evidenceIds, 60).map((evidenceId) => [
      evidenceId,
      {
        module: draw.pick(['failures', 'stats']),
        events: draw.many(2, (index) => `00000000-0000-4000-9000-00000000000${index}`),
        family: draw.pick([null, ...families]),
      },
    ]),
  );
  return {
    contextForm: randomForm(draw),
    // Equal digests are the same context, which has the same evidence ids.
    digest: sha256(canonicalJson(citable)),
    text: randomText(draw),
    history,
    evidenceIds: citable,
    tokenizer: draw.name(),
    tokens: draw.count(),
    budget: draw.count(),
    truncated: draw.many(1, () => ({ module: draw.name(), what: draw.name(), kept: 1, dropped: draw.count() })),
    ...draw.optional(50, {
      builder: draw.name(),
      modules: draw.some(['failures', 'stats', 'größe'], 60).map((module) => ({ module, tokens: draw.count() })),
      without: draw.some(evidenceIds, 30),
    }),
  };
}

export function randomForm(draw: Draw): Context['contextForm'] {
  return { modules: draw.some(['failures', 'stats', 'behaviour'], 60), ...draw.optional(50, { name: draw.name() }) };
}

export function randomEngineer(draw: Draw): Proposal['engineer'] {
  return {
    name: draw.pick(['rules', 'gpt', "o'engineer"]),
    ...draw.optional(40, { model: draw.name(), checkpoint: checkpoint(draw), reads: draw.some(['failures'], 50) }),
  };
}

export interface ShownContext {
  readonly digest: string;
  readonly event: string;
  readonly contextForm: Context['contextForm'];
}

/** As an answer refers to it: with or without its event and its context form; or to an unknown one. */
function reference(draw: Draw, shown: ShownContext | null): Proposal['context'] {
  if (draw.chance(15)) return null;
  if (shown === null || draw.chance(5)) return { digest: draw.digest() };
  const { digest, event, contextForm } = shown;
  return {
    digest,
    ...draw.optional(60, { event, contextForm: contextForm.name ?? (contextForm.modules.join('+') || 'none') }),
  };
}

function said(draw: Draw, { descriptor: { knobs } }: Environment, from: Configuration | null, to: Configuration) {
  const before = new Map(from?.knobs.map(({ knob, value }) => [knob, value]));
  const moved = to.knobs.filter(({ knob, value }) => before.get(knob) !== value);
  const reasons = () => ({
    cites: draw.chance(20) ? null : draw.many(3, () => draw.pick([...evidenceIds, 'unheard-of'])),
    reason: draw.pick([null, draw.text()]),
  });
  const changes = draw
    .some(moved, 85)
    .map(({ knob, family, value }) => ({ knob, family, from: before.get(knob) ?? null, to: value, ...reasons() }));
  const still = to.knobs.filter(({ knob }) => !changes.some((one) => one.knob === knob));
  return {
    changes,
    kept: draw.chance(30) ? null : draw.some(still, 30).map(({ knob, family }) => ({ knob, family, ...reasons() })),
    clamps: draw.some(knobs, 10).map(({ name, family }) => ({
      knob: name,
      family,
      proposed: draw.number(),
      used: draw.below(10),
      rule: draw.pick(['range', 'step', 'shares-sum'] as const),
    })),
    rationale: draw.pick([null, draw.text()]),
  };
}

function askedFields(draw: Draw, shown: ShownContext | null) {
  return {
    engineer: randomEngineer(draw),
    context: reference(draw, shown),
    ...draw.optional(40, {
      answers: draw.many(2, () => ({ key: draw.digest() })),
      sample: draw.below(3),
      usage: draw.amounts(),
      cost: { currency: draw.pick(['USD', 'USD', 'EUR']), total: draw.below(9) / 8 },
    }),
  };
}

export interface Deciding {
  readonly environment: Environment;
  readonly stage: number;
  readonly shown: ShownContext | null;
  readonly before: Configuration | null;
}

export function randomProposal(draw: Draw, { environment, shown, before }: Deciding): Proposal {
  const to = changed(draw, environment, before);
  return {
    ...askedFields(draw, shown),
    configuration: to,
    ...said(draw, environment, before, to),
    predictions: draw.chance(30)
      ? null
      : draw.some(environment.families, 60).map((family) => ({ family, measure: 'valid', value: draw.share() })),
    ...draw.optional(60, {
      scores: draw.optional(70, {
        citation: draw.score(draw.share()),
        preservation: draw.score(draw.share()),
        usable: draw.score(draw.below(2)),
        calibration: { brier: draw.score(draw.share()), rankCorrelation: draw.score(draw.share()) },
      }),
    }),
  };
}

const rejected = ['empty', 'unreadable', 'invalid', 'impossible', 'refused'] as const;

export function randomRejection(draw: Draw, { shown }: Deciding): Rejection {
  return {
    ...askedFields(draw, shown),
    reason: draw.pick(rejected),
    issues: draw.many(2, () => ({ field: draw.text(), found: draw.text(), allowed: draw.text() })),
    raw: draw.pick([null, randomText(draw)]),
  };
}

export function randomError(draw: Draw, { shown }: Deciding): EventData['ProposalErrored'] {
  return {
    ...askedFields(draw, shown),
    error: { kind: draw.pick(['crashed', 'timeout', draw.name()]), message: draw.text() },
    raw: draw.pick([null, randomText(draw)]),
  };
}

export function randomAdoption(
  draw: Draw,
  { environment, stage, shown, before }: Deciding,
  proposals: readonly { readonly id: string; readonly data: Proposal }[],
): Adoption {
  const previous = before?.digest ?? null;
  if (proposals.length > 0 && draw.chance(70)) {
    const { id, data } = draw.pick(proposals);
    const { configuration, changes, kept, clamps, rationale, context } = data;
    return {
      by: 'engineer',
      proposal: id,
      context,
      configuration,
      previous,
      changes,
      kept,
      clamps,
      rationale,
    };
  }
  const to = changed(draw, environment, before);
  return {
    by: draw.pick(stage === 1 ? (['initial', 'human'] as const) : (['human', 'kept', 'errored'] as const)),
    proposal: null,
    context: reference(draw, shown),
    configuration: to,
    previous,
    ...said(draw, environment, before, to),
  };
}

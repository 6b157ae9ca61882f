// Decisions folded: what stages were set to, who decided, which knobs that changed and why.
import type { EventData } from '../../../../schemas/catalogue.ts';
import { byCode, momentOf, whole } from './cells.ts';
import { descriptorOf, historyOf, lineOf, type Rate, rateIn, toldOf, unknown, validationOf } from './history.ts';
import { ablationOf, type Log, numberIn, type Of, type Recorded, type Row, textIn } from './log.ts';

type Configuration = EventData['ConfigAdopted']['configuration'];

/** By the stage they are for, those that hold for a run's history and what comes after: its own before its parent's. */
export function decisionsFor(log: Log, run: string): ReadonlyMap<number, Of<'ConfigAdopted'>> {
  const decided = lineOf(log, run, 'ConfigAdopted', lastStageBefore);
  return new Map(decided.map((event) => [event.stage ?? 0, event]));
}

/** Who was asked: whose proposal was adopted, or else whose answer could not be used or did not come; or the person. */
export function engineerOf(
  log: Log,
  { run, stage, actor, causes, data, revision }: Of<'ConfigAdopted'>,
): string | null {
  if (data.by === 'human') return actor;
  const isFor = (one: Of<'ProposalRecorded' | 'ProposalRejected' | 'ProposalErrored'>) => one.stage === stage;
  const answers = lineOf(log, run ?? '', 'ProposalRecorded', lastStageBefore).filter(isFor);
  const isBefore = (one: Of<'ProposalRejected' | 'ProposalErrored'>) =>
    isFor(one) && (one.run !== run || one.revision < revision);
  const refused = [
    ...lineOf(log, run ?? '', 'ProposalErrored', lastStageBefore).filter(isBefore),
    ...lineOf(log, run ?? '', 'ProposalRejected', lastStageBefore).filter(isBefore),
  ];
  const proposal = answers.find(({ id }) => id === data.proposal);
  const named = refused.filter(({ id }) => causes.some((cause) => 'event' in cause && cause.event === id));
  return (proposal ?? named.at(-1) ?? refused.at(-1))?.data.engineer.name ?? null;
}

/** Of what is made for a stage being configured. */
function lastStageBefore({ stage }: { readonly stage: number | null }): number {
  return (stage ?? 1) - 1;
}

interface InForce {
  readonly configuration: Configuration;
  readonly began: boolean;
}

/** What a stage began with, or else what was decided for it. */
export function configurationFor(log: Log, run: string, number: number): InForce | null {
  const stage = historyOf(log, run).find((one) => one.stage === number);
  const begun = stage && toldOf(log, stage, 'StageStarted').find(({ data }) => data.configuration !== undefined);
  if (begun?.data.configuration !== undefined) return { configuration: begun.data.configuration, began: true };
  const decided = decisionsFor(log, run).get(number);
  return decided === undefined ? null : { configuration: decided.data.configuration, began: false };
}

/** The stages of a run itself, and those that it decided upon. */
function stagesOf(log: Log, run: string): readonly number[] {
  const history = historyOf(log, run);
  const decided = [...decisionsFor(log, run)].filter(
    ([stage, { run: by }]) => by === run && !history.some((one) => one.stage === stage),
  );
  const own = history.filter(({ recorder }) => recorder === run).map(({ stage }) => stage);
  return [...own, ...decided.map(([stage]) => stage)];
}

export function configs(log: Log): Row[] {
  return log.runs.flatMap((run) =>
    stagesOf(log, run).flatMap((stage) => {
      const { configuration, began } = configurationFor(log, run, stage) ?? { configuration: null, began: false };
      return (configuration?.knobs ?? []).map(({ knob, family, value }) => ({
        run: log.name(run),
        stage,
        family,
        knob,
        short_name: shortNameOf(knob, family),
        value,
        began,
        configuration: configuration?.digest,
        run_id: run,
      }));
    }),
  );
}

export function shortNameOf(knob: string, family: string | null): string {
  return family !== null && knob.startsWith(`${family}.`) ? knob.slice(family.length + 1) : knob;
}

export function decisions(log: Log): Row[] {
  return log.of('ConfigAdopted').map((event) => {
    const { id, run, stage, revision, actor, data, at } = event;
    const same = log.told(run ?? '', 'ConfigAdopted').filter((one) => one.stage === stage);
    return {
      run: log.name(run),
      stage,
      in_force: same.every((one) => one.revision <= revision),
      decided_by: data.by,
      engineer: engineerOf(log, event),
      context_form: data.context?.contextForm,
      changes: data.changes.length,
      kept: data.kept?.length,
      clamps: data.clamps.length,
      rationale: data.rationale,
      configuration: data.configuration.digest,
      previous: data.previous,
      proposal: data.proposal,
      context: data.context?.digest,
      context_event: data.context?.event,
      actor,
      happened_at: momentOf(at),
      id,
      run_id: run,
    };
  });
}

interface Change {
  readonly knob: string;
  readonly family: string | null;
  readonly from: number | null;
  readonly to: number | null;
}

/** What differs from the stage before; where that is not known, what the decision says it changed. */
export function changesFor(log: Log, run: string, stage: number): readonly Change[] {
  const [from, to] = [configurationFor(log, run, stage - 1), configurationFor(log, run, stage)];
  const moved =
    from === null || to === null
      ? (decisionsFor(log, run).get(stage)?.data.changes ?? [])
      : differences(from.configuration, to.configuration);
  const steps = new Map(descriptorOf(log, run)?.knobs.map(({ name, step }) => [name, step]));
  return moved.filter(({ knob, from, to }) => {
    if (from === null || to === null) return from !== to;
    // Rounding errors are no difference.
    return Math.abs(to - from) > 1e-9 * (steps.get(knob) ?? Math.max(Math.abs(from), Math.abs(to)));
  });
}

function differences(from: Configuration, to: Configuration): readonly Change[] {
  const knobs = new Set([...to.knobs, ...from.knobs].map(({ knob }) => knob));
  return [...knobs].map((knob) => {
    const was = from.knobs.find((one) => one.knob === knob);
    const is = to.knobs.find((one) => one.knob === knob);
    return { knob, family: (is ?? was)?.family ?? null, from: was?.value ?? null, to: is?.value ?? null };
  });
}

export function knobChanges(log: Log): Row[] {
  return log.runs.flatMap((run) =>
    stagesOf(log, run).flatMap((stage) =>
      changesFor(log, run, stage).map((change) => changeRow(log, run, stage, change)),
    ),
  );
}

function changeRow(log: Log, run: string, stage: number, { knob, family, from, to }: Change): Row {
  const decision = decisionsFor(log, run).get(stage);
  const reason = decision?.data.changes.find((one) => one.knob === knob);
  const clamp = decision?.data.clamps.find((one) => one.knob === knob);
  const known = descriptorOf(log, run)?.knobs.find(({ name }) => name === knob);
  const [before, after] = [stage - 1, stage].map((number) => rateOfStage(log, run, number, family));
  const step = known?.step;
  return {
    run: log.name(run),
    stage,
    family,
    knob,
    short_name: shortNameOf(knob, family),
    from_value: from,
    to_value: to,
    steps: step === undefined || from === null || to === null ? null : Number(((to - from) / step).toFixed(6)),
    direction: from === null || to === null || from === to ? null : to > from ? 'up' : 'down',
    decided_by: decision?.data.by,
    engineer: decision && engineerOf(log, decision),
    reason: reason?.reason,
    cites: reason?.cites,
    ...citationsOf(log, decision, reason),
    clamped: clamp !== undefined,
    proposed: clamp?.proposed,
    valid_before: before?.value,
    before_low: before?.low,
    before_high: before?.high,
    valid_after: after?.value,
    after_low: after?.low,
    after_high: after?.high,
    gain: difference(after?.value, before?.value),
    harder: known?.harder,
    context_form: decision?.data.context?.contextForm,
    environment: log.started(run)?.environment.name,
    decision: decision?.id,
    proposal: decision?.data.proposal,
    run_id: run,
  };
}

function rateOfStage(log: Log, run: string, number: number, family: string | null): Rate {
  const stage = historyOf(log, run).find((one) => one.stage === number);
  return stage === undefined ? unknown : rateIn(validationOf(log, stage), 'valid', family);
}

export function difference(a: number | null | undefined, b: number | null | undefined): number | null {
  return typeof a === 'number' && typeof b === 'number' ? a - b : null;
}

function citationsOf(
  log: Log,
  decision: Of<'ConfigAdopted'> | undefined,
  reason: Of<'ConfigAdopted'>['data']['changes'][number] | undefined,
): Row {
  const cited = [...new Set(reason?.cites ?? [])].sort(byCode);
  if (decision === undefined || reason === undefined || cited.length === 0)
    return { rests_on: 'nothing', cited_evidence: null };
  const { context } = decision.data;
  const contexts = log.of('ContextRecorded');
  const shown =
    context?.event === undefined
      ? contexts.findLast(({ run, data }) => run === decision.run && data.digest === context?.digest)
      : contexts.find(({ id }) => id === context.event);
  const evidence = cited.map((evidenceId) => {
    const item = shown?.data.evidenceIds[evidenceId];
    return { evidence_id: evidenceId, module: item?.module ?? null, family: item?.family ?? null };
  });
  const concerns = cited.map((evidenceId): string => {
    const item = shown?.data.evidenceIds[evidenceId];
    if (shown === undefined) return 'no context';
    if (item === undefined) return 'unknown';
    if (item.family === reason.family) return 'its family';
    return item.family === null || reason.family === null ? 'in part' : 'another family';
  });
  const order = ['its family', 'in part', 'another family', 'unknown', 'no context'];
  return { rests_on: order.find((one) => concerns.includes(one)), cited_evidence: evidence };
}

export function proposals(log: Log): Row[] {
  const answers = log.of('ProposalRecorded', 'ArmProposed', 'ProposalRejected', 'ArmRejected', 'ProposalErrored');
  const ofArms = log.of('ArmErrored').filter(({ data }) => data.during === 'propose');
  return [...answers, ...ofArms].map((event) => answerRow(log, event));
}

type Answer = Of<
  'ProposalRecorded' | 'ArmProposed' | 'ProposalRejected' | 'ArmRejected' | 'ProposalErrored' | 'ArmErrored'
>;

function answerRow(log: Log, event: Answer): Row {
  const { id, run, stage, data, at } = event;
  return {
    run: log.name(run),
    stage,
    evidence_through: stage === null ? null : stage - 1,
    adopted: log.of('ConfigAdopted').some((one) => one.data.proposal === id),
    side_question: isSideQuestion(log, event),
    engineer: data.engineer.name,
    model: data.engineer.model,
    context_form: data.context?.contextForm,
    ...('configuration' in data ? proposalPart(data) : 'error' in data ? errorPart(data) : rejectionPart(data)),
    input_tokens: whole(data.usage?.['input']),
    output_tokens: whole(data.usage?.['output']),
    cost: data.cost?.total,
    currency: data.cost?.currency,
    answers: data.answers?.length,
    sample: data.sample,
    usage: data.usage,
    context: data.context?.digest,
    context_event: data.context?.event,
    ...armOf(event),
    happened_at: momentOf(at),
    id,
    run_id: run,
  };
}

/** An arm replays decisions that were made before it. */
function isSideQuestion(log: Log, event: Answer): boolean {
  if (event.run === null || ablationOf(event) !== null) return false;
  const decided = log.told(event.run, 'ConfigAdopted').findLast(({ stage }) => stage === event.stage);
  return decided !== undefined && event.revision > decided.revision;
}

function proposalPart(data: EventData['ProposalRecorded']): Row {
  const { changes, kept, clamps, predictions, scores } = data;
  return {
    outcome: 'accepted',
    reason: null,
    error: null,
    rationale: data.rationale,
    changes: changes.length,
    kept: kept?.length,
    clamps: clamps.length,
    cites: [...new Set([...changes, ...(kept ?? [])].flatMap(({ cites }) => cites ?? []))].sort(byCode),
    predictions: predictions?.length,
    citation: numberIn(scores?.citation),
    preservation: numberIn(scores?.preservation),
    usable: numberIn(scores?.usable),
    brier: numberIn(scores?.calibration?.brier),
    rank_correlation: numberIn(scores?.calibration?.rankCorrelation),
    issues: null,
    raw: null,
    configuration: data.configuration.digest,
  };
}

const ofProposalsAlone = [
  ['rationale', 'changes', 'kept', 'clamps', 'cites', 'predictions', 'configuration'],
  ['citation', 'preservation', 'usable', 'brier', 'rank_correlation'],
].flat();

function rejectionPart({ reason, issues, raw }: EventData['ProposalRejected']): Row {
  const nothing = Object.fromEntries(ofProposalsAlone.map((column) => [column, null]));
  return { ...nothing, outcome: 'rejected', reason, error: null, issues, raw: textIn(raw) };
}

function errorPart({ error, raw }: EventData['ProposalErrored']): Row {
  const nothing = Object.fromEntries(ofProposalsAlone.map((column) => [column, null]));
  return { ...nothing, outcome: 'errored', reason: error.kind, error: error.message, issues: null, raw: textIn(raw) };
}

/** Where it is of an arm, which. */
export function armOf(event: Recorded): Row {
  const { data } = event;
  const arm = ablationOf(event) !== null && 'arm' in data ? (data as { arm: unknown; unit?: unknown }) : null;
  return { ablation: ablationOf(event), arm: arm?.arm, unit: arm?.unit };
}

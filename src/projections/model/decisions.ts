// Rows about decisions: the resulting configurations, the engineers, the changed knobs, and the cited evidence.

import type { Change, Rate } from '../../../schemas/run-output.ts';
import { contextNamed, restsOn } from '../../producers/history/citing.ts';
import { configurationOf, wordOf } from '../../producers/history/configurations.ts';
import { changesFor, editedIn } from '../../producers/history/decisions.ts';
import { probeRateOf } from '../../producers/history/figures.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import { type Adoption, askedFor, stageAt } from '../../producers/history/run-history.ts';
import { type CourseStage, courseOf, engineerOf, validationRate } from './history.ts';
import { byBytes, differenceOf, type Row, type Rows } from './rows.ts';

export function decisionRows(read: RunRead): Rows {
  const own = courseOf(read).filter(({ isOwn }) => isOwn);
  return {
    decisions: adoptionRows(read),
    configs: own.flatMap((one) => configRows(read, one)),
    knob_changes: own.flatMap((one) =>
      changesFor(read, one.stage, one.adoption?.data.changes ?? []).map((change) => changeRow(read, one, change)),
    ),
  };
}

function adoptionRows(read: RunRead): readonly Row[] {
  const own = read.decisions.filter(({ envelope }) => envelope.run === read.run);
  return own.map((adoption) => {
    const { id, revision, envelope, data } = adoption;
    const { stage, actor, at } = envelope;
    return {
      stage,
      in_force: own.findLast((one) => one.envelope.stage === stage) === adoption,
      decided_by: data.by,
      engineer: engineerOf(read, adoption),
      context_form: data.context?.contextForm,
      changes: data.changes.length,
      kept: data.kept?.length,
      clamps: data.clamps.length,
      rationale: data.rationale,
      configuration: data.configuration.digest,
      previous: data.previous,
      proposal: data.proposal,
      edited: data.proposal === null ? null : isEdited(read, adoption),
      context: data.context?.digest,
      context_event: data.context?.event,
      actor,
      happened_at: at,
      id,
      run_id: read.run,
      revision,
    };
  });
}

/** Whether a person changed the proposal before adopting it. */
export function isEdited(read: RunRead, { envelope, data }: Adoption): boolean {
  const proposals = askedFor(read, envelope.stage ?? 0)?.proposals ?? [];
  const proposal = proposals.find(({ id }) => id === data.proposal) ?? null;
  return editedIn(read.descriptor, proposal, data.configuration) !== null;
}

function configRows(read: RunRead, { stage, history }: CourseStage): readonly Row[] {
  const configuration = configurationOf(read, stage);
  return (configuration?.knobs ?? []).map(({ knob, family, value }) => ({
    stage,
    family,
    knob,
    short_name: wordOf({ knob, family }),
    value,
    began: history?.started.data.configuration !== undefined,
    configuration: configuration?.digest,
    run_id: read.run,
  }));
}

function changeRow(read: RunRead, { stage, adoption }: CourseStage, change: Change): Row {
  const { knob, family, from, to, steps, reason, cites } = change;
  const decision = adoption?.data ?? null;
  const described = read.descriptor?.knobs.find(({ name }) => name === knob);
  const clamp = decision?.clamps.find((one) => one.knob === knob);
  const [before, after] = [stage - 1, stage].map((one) => validationRate(read, one, 'valid', family));
  const [probeBefore, probeAfter] = [stage - 1, stage].map((one) => probeRate(read, one, family));
  return {
    stage,
    family,
    knob,
    short_name: wordOf({ knob, family }),
    from_value: from,
    to_value: to,
    steps,
    direction: from === null || to === null ? null : to > from ? 'up' : 'down',
    decided_by: decision?.by,
    engineer: engineerOf(read, adoption),
    reason,
    cites,
    ...citationOf(read, decision, change),
    clamped: clamp !== undefined,
    proposed: clamp?.proposed,
    valid_before: before?.value,
    before_low: before?.low,
    before_high: before?.high,
    valid_after: after?.value,
    after_low: after?.low,
    after_high: after?.high,
    gain: differenceOf(after?.value, before?.value),
    probe_before: probeBefore?.value,
    probe_before_low: probeBefore?.low,
    probe_before_high: probeBefore?.high,
    probe_after: probeAfter?.value,
    probe_after_low: probeAfter?.low,
    probe_after_high: probeAfter?.high,
    probe_gain: differenceOf(probeAfter?.value, probeBefore?.value),
    harder: described?.harder,
    context_form: decision?.context?.contextForm,
    environment: read.started?.data.environment.name,
    decision: adoption?.id,
    proposal: decision?.proposal,
    run_id: read.run,
  };
}

function probeRate(read: RunRead, stage: number, family: string | null): Rate | undefined {
  const found = stageAt(read, stage);
  return found === null ? undefined : probeRateOf(found, family);
}

function citationOf(read: RunRead, decision: Adoption['data'] | null, { knob, cites }: Change): Row {
  // The family that the decision names for its change.
  const family = decision?.changes.find((one) => one.knob === knob)?.family ?? null;
  const context = decision === null || decision.context === null ? null : contextNamed(read, decision.context);
  const evidenceIds = context?.data.evidenceIds ?? null;
  const cited = [...new Set(cites ?? [])].sort(byBytes);
  return {
    rests_on: restsOn({ family, cites }, evidenceIds),
    cited_evidence:
      cited.length === 0
        ? null
        : cited.map((evidenceId) => ({
            evidence_id: evidenceId,
            module: evidenceIds?.[evidenceId]?.module,
            family: evidenceIds?.[evidenceId]?.family,
          })),
  };
}

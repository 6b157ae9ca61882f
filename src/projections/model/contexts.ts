// Rows about contexts: summaries with their figures and exemplars, and contexts with their citable evidence.
import { numberIn } from '../../producers/history/figures.ts';
import { type Event, lastOf, placeOf, reasonIn, type StreamEvents, textIn } from './events.ts';
import type { Row, Rows } from './rows.ts';

export function contextAndSummaryRows(events: StreamEvents): Rows {
  return { ...summaryRows(events), ...contextRows(events) };
}

/** The stage being configured, which follows the evidence. */
function placeIn(event: Event<'SummaryRecorded' | 'ContextRecorded'>, events: StreamEvents): Row {
  const { stage } = event.envelope;
  return { ...placeOf(event, events), evidence_through: stage === null ? null : stage - 1 };
}

function summaryRows(events: StreamEvents): Rows {
  const summaries = events.of('SummaryRecorded');
  const counting = lastOf(summaries, ({ envelope, data }) => [envelope.stage, data.module]);
  const all = summaries.map((event) => {
    const { module } = event.data;
    // In an ablation each arm may have its own.
    const counts = events.ablation === null ? counting.has(event) : null;
    return { event, of: { ...placeIn(event, events), module, counts } };
  });
  return {
    summaries: all.map(({ event: { id, envelope, data }, of }) => ({
      ...of,
      rollouts: data.rollouts,
      splits: data.splits,
      facts: data.facts.length,
      exemplars: data.exemplars.length,
      text: textIn(data.text),
      answer: data.answer?.key,
      version: data.version,
      parameters: data.parameters,
      happened_at: envelope.at,
      id,
    })),
    facts: all.flatMap(({ event: { id, data }, of }) =>
      data.facts.map(({ evidenceId, family, measure, about, value, count, of: outOf, low, high }) => ({
        ...of,
        evidence_id: evidenceId,
        family,
        measure,
        about,
        value: numberIn(value),
        value_reason: reasonIn(value),
        count,
        out_of: outOf,
        low,
        high,
        summary: id,
      })),
    ),
    exemplars: all.flatMap(({ event: { id, data }, of }) =>
      data.exemplars.map(({ evidenceId, family, class: name, description, drawing, rollout, failure }) => ({
        ...of,
        evidence_id: evidenceId,
        family,
        failure_class: name,
        description,
        drawing,
        rollout,
        failure,
        summary: id,
      })),
    ),
  };
}

function contextRows(events: StreamEvents): Rows {
  const contexts = events.of('ContextRecorded');
  return {
    contexts: contexts.map((event) => {
      const { id, envelope, data } = event;
      return {
        ...placeIn(event, events),
        context_form: data.contextForm.name,
        modules: data.contextForm.modules,
        tokens: data.tokens,
        // The first entry counts if a module is named twice.
        module_tokens:
          data.modules && Object.fromEntries(data.modules.toReversed().map(({ module, tokens }) => [module, tokens])),
        budget: data.budget,
        truncated: data.truncated,
        without: data.without,
        evidence_ids: Object.keys(data.evidenceIds).length,
        text: textIn(data.text),
        tokenizer: data.tokenizer,
        builder: data.builder,
        digest: data.digest,
        history: data.history,
        happened_at: envelope.at,
        id,
      };
    }),
    context_evidence: contexts.flatMap((event) =>
      Object.entries(event.data.evidenceIds).map(([evidenceId, { module, family, events: of }]) => ({
        ...placeIn(event, events),
        evidence_id: evidenceId,
        module,
        family,
        events: of,
        context: event.id,
      })),
    ),
  };
}

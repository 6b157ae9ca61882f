// Notes, model answers and plain events: one row each.

import { json, momentOf, whole } from './cells.ts';
import { type Log, type Row, textIn } from './log.ts';

export function notes(log: Log): Row[] {
  return log.of('RunAnnotated').map(({ id, run, stage, at, actor, data }) => ({
    run: log.name(run),
    stage,
    knob: data.knob,
    note: data.note,
    tags: data.tags,
    actor,
    event: data.event,
    happened_at: momentOf(at),
    id,
    run_id: run,
  }));
}

export function modelCalls(log: Log): Row[] {
  return log.of('ModelAnswered').map(({ id, run, stage, at, data }) => {
    const seconds = data.measured?.['seconds'];
    return {
      run: log.name(run),
      stage,
      purpose: data.purpose,
      model: data.model.name,
      endpoint: data.model.endpoint,
      checkpoint: data.model.checkpoint,
      reported: data.model.reported,
      sample: data.sample,
      finish_reason: data.finishReason,
      input_tokens: whole(data.usage?.['input']),
      output_tokens: whole(data.usage?.['output']),
      usage: data.usage,
      cost: data.cost?.total,
      currency: data.cost?.currency,
      seconds: typeof seconds === 'number' ? seconds : null,
      prompt: textIn(data.prompt),
      answer: textIn(data.answer),
      reasoning: textIn(data.reasoning),
      parameters: json(data.parameters),
      measured: json(data.measured),
      context_digest: data.context,
      key: data.key,
      happened_at: momentOf(at),
      id,
      run_id: run,
    };
  });
}

const withTables = ['RolloutRecorded', 'FailureRecorded', 'ModelAnswered'];

export function events(log: Log): Row[] {
  return log.events.map((event) => ({
    type: event.type,
    run: log.name(event.run),
    stage: event.stage,
    happened_at: momentOf(event.at),
    recorded_at: momentOf(event.recordedAt),
    actor: event.actor,
    data: withTables.includes(event.type) ? null : json(event.data),
    stream: event.stream,
    revision: event.revision,
    version: event.version,
    causes: json(event.causes),
    digest: event.digest,
    id: event.id,
    run_id: event.run,
  }));
}

// Whether data made from what a policy or a trainer yields may be written as an event.
import { checkEvent, type TypeName, versionOf } from '../../../../schemas/catalogue.ts';
import { describeIssue } from '../../../../schemas/errors.ts';

const streams = { TrainingRecorded: 'run-any', EvaluationRecorded: 'run-any', RolloutRecorded: 'evidence-any-1-0-0' };

/** What the catalogue has against data of a type; an answer stands in the stream of its key. */
export function issuesOf(type: keyof typeof streams | 'ModelAnswered', data: object): string[] {
  const stream = type === 'ModelAnswered' ? `answer-${(data as { key?: string }).key}` : streams[type];
  const event = {
    id: '98f69b8a-88e8-875f-8002-140000001003',
    type,
    version: versionOf(type satisfies TypeName),
    at: '2026-07-01T12:00:00Z',
    actor: 'producer/contract',
    run: 'any',
    stage: 1,
    causes: [],
    data,
  };
  return checkEvent(stream, event).map(describeIssue);
}

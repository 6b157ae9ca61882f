// What a model said as a try at a task. What it did itself is evidence, be it a refusal or a call of tools; what others
// held back is none.
import type { Task } from '../../environments/task.ts';
import { type Answered, isTruncated } from '../../models/conversation.ts';
import type { Planned, Spoken } from '../policy.ts';

export function plannedFrom(task: Task, sample: number, answered: Answered): Planned {
  const { usage, measured } = answered;
  const common = {
    task,
    sample,
    spoken: spokenFrom(answered),
    ...(usage?.output === undefined ? {} : { agentSteps: usage.output }),
    ...(measured === undefined ? {} : { measured }),
  };
  if (answered.finishReason === 'content_filter') {
    return {
      ...common,
      answer: null,
      fault: { kind: 'content-filter', message: 'a content filter held the answer back' },
    };
  }
  return { ...common, answer: answered.answer, ...(isTruncated(answered) ? { truncated: true } : {}) };
}

function spokenFrom({ purpose, answer, measured, ...said }: Answered): Spoken {
  return { ...said, completion: answer ?? '' };
}

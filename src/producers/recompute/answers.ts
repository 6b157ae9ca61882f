// Reads the recorded answers of language models again, and compares what they say with the proposals that cite them.
import type { EventData } from '../../../schemas/catalogue.ts';
import { streamOf } from '../../../schemas/streams.ts';
import {
  languageKind,
  languageVersion,
  proposalIn,
  type RecordedAnswer,
} from '../../lab/engineers/language-reading.ts';
import { recordedConfiguration } from '../../lab/environments/knobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { decidedBy } from '../proposals/asking.ts';
import { required, stageIn } from '../run/session.ts';
import { differenceWords } from './account.ts';
import { evidenceIdsOf, type ProposalCheck } from './decisions.ts';
import type { Environments } from './environments.ts';
import type { TextOf } from './summaries.ts';

type Proposed = EventData['ProposalRecorded'];

interface AnswerCheck extends ProposalCheck {
  readonly ledger: Ledger;
  readonly textOf: TextOf;
  readonly environments: Environments;
}

/** Ignores proposals of other engineers. */
export async function recomputeAnswer(of: AnswerCheck): Promise<void> {
  const { event, data, account, history, stage, descriptor, contexts = [] } = of;
  if (data.engineer.parameters?.['kind'] !== languageKind) return;
  const skip = (why: string): void => account.skip(event, 'answers', why);
  const answers = await answersOf(of);
  if (typeof answers === 'string') return skip(answers);
  const evidenceIds = evidenceIdsOf(history, contexts, data);
  if (evidenceIds === undefined) return skip('the context they refer to is not in the run');
  const opened = await of.environments.ofRun(of);
  if ('why' in opened) return skip(`they cannot be read again without their environment: ${opened.why}`);
  account.again('answers');
  const { environment } = opened;
  const current = required(stageIn(history, stage).started.data.configuration, `the configuration of stage ${stage}`);
  const context = evidenceIds === null ? null : { evidenceIds: new Set(Object.keys(evidenceIds)) };
  const asked = { descriptor, current: current.whole, context };
  const read = proposalIn(answers, asked, environment.check.bind(environment));
  if ('reason' in read) return account.fault(event, 'recomputed-decision', `its answer is no proposal: ${read.reason}`);
  const made = decidedBy(read.proposal, asked, environment);
  if ('issues' in made) return account.fault(event, 'recomputed-decision', 'its answer is no proposal: invalid');
  const { configuration, ...adoption } = made.decision;
  const { predictions } = read.proposal;
  const computed = { configuration: recordedConfiguration(descriptor, configuration), ...adoption, predictions };
  const says = differenceWords(saidIn(data), computed, 'data');
  if (says !== null) account.fault(event, 'recomputed-decision', `differs from its answer: ${says}`);
}

/** The part of a proposal that its answer determines, with what is easiest to read first. */
function saidIn({ configuration, changes, kept, clamps, rationale, predictions }: Proposed): object {
  return { changes, kept, clamps, rationale, predictions, configuration };
}

/** In the order in which they were given; or why they cannot be read again. */
async function answersOf(of: AnswerCheck): Promise<readonly [RecordedAnswer, ...RecordedAnswer[]] | string> {
  const { engineer, answers = [] } = of.data;
  const { version } = engineer;
  if (version !== languageVersion) return `read by version ${version}, this is version ${languageVersion}`;
  const found: RecordedAnswer[] = [];
  for (const { key } of answers) {
    const answer = await answerOf(of, key);
    if (typeof answer === 'string') return answer;
    found.push(answer);
  }
  const [first, ...others] = found;
  return first === undefined ? 'their proposals do not name them' : [first, ...others];
}

async function answerOf({ ledger, textOf }: AnswerCheck, key: string): Promise<RecordedAnswer | string> {
  for await (const events of ledger.read(streamOf.answer(key))) {
    for (const { type, reading } of events) {
      if (type !== 'ModelAnswered') continue;
      if (!reading.known || reading.type !== 'ModelAnswered') return 'recorded by a newer icecore';
      const { answer, finishReason } = reading.data;
      const text = answer === null ? null : await textOf(answer);
      return text === null && answer !== null ? 'their texts are erased or lost' : { answer: text, finishReason };
    }
  }
  return 'not recorded in this ledger';
}

// An event in a line: its main facts.
import { type EventData, eventTypes, type Reading } from '../../schemas/catalogue.ts';
import type { Opaqueness, OpaqueReading } from '../../schemas/reading.ts';
import { counted, shortNumber } from '../base/quantity.ts';

/** Longer gists help nobody, and lists of knobs can be long. */
const longest = 200;

/** `stage` is that of the event, which few types tell of. */
export function gist(reading: Reading, stage: number | null): string {
  const text = gistIn(reading, stage);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** Other writers may store under a type's name what its schema does not have: of that only the generic gist is safe. */
function gistIn(reading: Reading, stage: number | null): string {
  if (!reading.known) return opaque(reading);
  const schema = eventTypes.get(reading.type)?.versions.at(-1);
  if (schema === undefined) return generic(reading.data);
  const isAsDeclared = schema.safeParse(reading.data).success;
  return isAsDeclared ? gistOf(reading, stage) : `${notAsDeclared}: ${generic(reading.data)}`;
}

/** What it is, then the beginning of what it says, which may be long. */
function opaque({ data, why, version }: OpaqueReading): string {
  const said = generic(data);
  return `${reasons[why](version)}${said === '' ? '' : `: ${said}`}`;
}

const notAsDeclared = 'not as its type declares';

const reasons: Readonly<Record<Opaqueness, (version: number) => string>> = {
  'unknown-type': (version) => `version ${version} of a type not known here`,
  'unknown-version': (version) => `version ${version}, not known here`,
  'unknown-stream': (version) => `version ${version}, in a stream where its type is not known`,
  unreadable: (version) => `version ${version}, ${notAsDeclared}`,
};

function gistOf(reading: Reading & { known: true }, stage: number | null): string {
  switch (reading.type) {
    case 'RolloutRecorded':
      return rollout(reading.data);
    case 'FailureRecorded':
      return words(reading.data.failures.map((failure) => failure.class).join(', '), family(reading.data.family));
    case 'RunStarted':
      return words(reading.data.name, `environment ${reading.data.environment.name}`);
    case 'SummaryRecorded':
      return words(reading.data.module, counted(reading.data.facts.length, 'fact'), rolloutsOf(reading.data.rollouts));
    case 'ContextRecorded':
      return words(formName(reading.data.contextForm), counted(reading.data.tokens, 'token'));
    case 'EvidenceSealed':
      return seals(reading.data.attempts);
    case 'ConfigAdopted':
    case 'ProposalRecorded':
    case 'ArmProposed':
      return words(forStage(stage), changes(reading.data.changes));
    case 'ProposalRejected':
    case 'ArmRejected':
      return words(forStage(stage), reading.data.reason);
    case 'ProposalErrored':
    case 'ArmErrored':
      return words(forStage(stage), reading.data.error.kind, reading.data.error.message);
    case 'EvaluationRecorded':
    case 'ArmEvaluated':
      return words(`suite ${reading.data.suite.name}`, pooled(reading.data.results));
    case 'RunAnnotated':
      return reading.data.note;
    case 'RunFailed':
      return words(reading.data.reason, reading.data.message);
    default:
      return generic(reading.data);
  }
}

/** Of decisions and proposals: the stage that they configure. A forged event may have anything for it. */
function forStage(stage: number | null): string | undefined {
  return typeof stage === 'number' ? `for stage ${stage}` : undefined;
}

function rollout(data: EventData['RolloutRecorded']): string {
  const failed = data.failureClass === data.outcome ? undefined : data.failureClass;
  return words(data.outcome, failed, reward(data.reward), family(data.family), data.split);
}

function reward(found: EventData['RolloutRecorded']['reward']): string | undefined {
  if (found === undefined) return undefined;
  return typeof found === 'number' ? `reward ${shortNumber(found)}` : `no reward: ${found.reason}`;
}

function family(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `family ${name}`;
}

function rolloutsOf(number: number | undefined): string | undefined {
  return number === undefined ? undefined : `from ${counted(number, 'rollout')}`;
}

function formName({ name, modules }: EventData['ContextRecorded']['contextForm']): string {
  return `form ${name ?? modules.join('+')}`;
}

function seals(attempts: EventData['EvidenceSealed']['attempts']): string {
  const events = attempts.reduce((sum, attempt) => sum + attempt.count, 0);
  return words(counted(attempts.length, 'attempt'), counted(events, 'event'));
}

function changes(list: EventData['ConfigAdopted']['changes']): string {
  if (list.length === 0) return 'nothing changes';
  return list
    .map(({ knob, from, to }) => `${knob} ${from === null ? 'none' : shortNumber(from)} → ${shortNumber(to)}`)
    .join(', ');
}

function pooled(results: EventData['EvaluationRecorded']['results']): string {
  return results
    .filter((result) => result.family === null)
    .map(({ measure, value }) => `${measure} ${typeof value === 'number' ? shortNumber(value) : value.reason}`)
    .join(', ');
}

/** Of data with more members, the first are shown. */
const mostMembers = 50;

/** What can be said of any data: its short members, as they stand. */
export function generic(data: unknown): string {
  if (typeof data !== 'object' || data === null) return plain(data);
  const said = Object.entries(data)
    .slice(0, mostMembers)
    .map(([key, value]) => {
      const text = plain(value);
      return key === 'measured' || text === '' ? '' : `${key} ${text}`;
    });
  return words(...said);
}

function plain(value: unknown): string {
  if (typeof value === 'number') return shortNumber(value);
  if (typeof value === 'string') return textGist(value);
  if (Array.isArray(value)) return value.length === 0 ? '' : `(${value.length})`;
  if (typeof value === 'object' && value !== null && 'name' in value)
    return typeof value.name === 'string' ? textGist(value.name) : '';
  return typeof value === 'boolean' ? String(value) : '';
}

/** Digests and ids say nothing to a reader of a list. */
function textGist(text: string): string {
  if (/^[0-9a-f-]{32,}$/.test(text)) return '';
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function words(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}

/** To the second, in UTC; an invalid moment stays as it is. */
export function moment(at: string): string {
  const milliseconds = Date.parse(at);
  return Number.isNaN(milliseconds) ? at : new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

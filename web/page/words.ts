// Recorded figures, changes and decisions in words.
import type { Why, WhyFigure, WhyUnchanged } from '../../schemas/why-output.ts';
import { listed, many, numberWords, percent, rateWords } from '../charts/words.ts';

interface Turn {
  readonly from: number | null;
  readonly to: number | null;
}

/** `0.15 → 0.2`, with as many digits as it takes to see the change. */
export function turnWords({ from, to }: Turn): string {
  const texts = (digits: number): readonly string[] =>
    [from, to].map((value) => (value === null ? 'none' : String(Number(value.toPrecision(digits)))));
  const enough = from === to ? 3 : [3, 4, 5, 6].find((digits) => texts(digits)[0] !== texts(digits)[1]);
  return texts(enough ?? 6).join(' → ');
}

/** `+1 step`. */
export function stepsWords(steps: number): string {
  const size = String(Number(Math.abs(steps).toFixed(1)));
  if (size === '0') return 'less than 0.1\u00a0steps';
  return `${steps < 0 ? '−' : '+'}${size}\u00a0${size === '1' ? 'step' : 'steps'}`;
}

/** `+39.2 points`. */
export function pointsWords(gain: number): string {
  const text = Math.abs(100 * gain).toFixed(1);
  const sign = text === '0.0' ? '' : gain < 0 ? '−' : '+';
  return `${sign}${text}\u00a0points`;
}

export function familyWords(family: string | null): string {
  return family === null ? 'all families' : `family ${family}`;
}

/** `1,000 agent-steps, 3 updates`. */
export function amountsWords(amounts: Readonly<Record<string, number>>): string {
  return Object.entries(amounts)
    .map(([unit, amount]) => `${countWords(amount)} ${unit}`)
    .join(', ');
}

export function countWords(count: number): string {
  return count.toLocaleString('en');
}

/** `valid 37.5 % [29, 46], 45 of 120 on probe`; what the evidence id says already is not repeated. */
export function figureWords(evidenceId: string, figure: WhyFigure): string {
  const { measure, about } = figure;
  const named = evidenceId.split('.');
  const what = [measure, about ?? ''].filter((word) => word !== '' && !named.includes(word)).join(' ');
  return [what, valueWords(figure)].filter((word) => word !== '').join(' ');
}

export function valueWords({ value, count, of, low, high, splits }: Omit<WhyFigure, 'measure' | 'about'>): string {
  if (typeof value !== 'number') return `none, ${value.reason}`;
  if (count === null || of === null) {
    const interval = low === null || high === null ? '' : ` [${numberWords(low)},\u00a0${numberWords(high)}]`;
    return `${numberWords(value)}${interval}`;
  }
  const on = splits.length === 0 ? '' : ` on ${listed(splits)}`;
  return `${rateWords({ value, low, high })}, ${countWords(count)} of ${countWords(of)}${on}`;
}

/** `human/ada` is ada. */
export function personWords(actor: string): string {
  return actor.replace(/^human\//, '');
}

/** What became of an adopted proposal. */
export function proposalWords(
  engineer: string | null,
  { edited, ownReasons }: Pick<Why['decision'], 'edited' | 'ownReasons'>,
): string {
  if (engineer === null) return '';
  const values = edited === null ? 'values unchanged' : `${many(edited.length, 'knob')} edited`;
  const own = ownReasons?.length ?? 0;
  const edits = edited === null && own === 0 ? 'unchanged' : values;
  return `, from the proposal of ${engineer}, ${edits}${own === 0 ? '' : `, own reasons for ${many(own, 'knob')}`}`;
}

export function deciderWords({ decision, stage }: Pick<Why, 'decision' | 'stage'>): string {
  const { by, who, engineer, proposal } = decision;
  const model = engineer?.model === undefined ? '' : ` (${engineer.model})`;
  const weights =
    engineer?.checkpoint?.stage === undefined ? '' : ` (weights after stage ${engineer.checkpoint.stage})`;
  switch (by) {
    case 'engineer':
      return `Decided by ${who ?? 'an engineer'}${weights}${model}`;
    case 'human':
      return `Decided by a person${who === null ? '' : `, ${personWords(who)}`}${proposalWords(engineer?.name ?? null, decision)}`;
    case 'initial':
      return 'Given, not decided: the run started with this configuration';
    case 'kept':
      return `Kept from stage ${stage - 1}${who === null ? '' : `, because the answer of ${who} was rejected`}`;
    case 'errored':
      return `Kept from stage ${stage - 1}, because ${who ?? 'the engineer'} errored`;
    default:
      return proposal === null ? 'No decision is recorded' : `Proposed by ${who ?? 'an engineer'}, not adopted`;
  }
}

export function unchangedWords({ knob, value, last, next }: WhyUnchanged, stage: number): string {
  const now = value === null ? 'without a value' : `at ${numberWords(value)}`;
  const later = next === null ? '' : `; it changes next for stage ${next.stage}, ${turnWords(next)}`;
  if (stage === 1) return `${knob} starts ${now}${later}`;
  const since =
    last === null
      ? 'unchanged since the start'
      : `unchanged since stage ${last.stage}, when it went ${turnWords(last)}`;
  return `${knob} stays ${now}, ${since}${later}`;
}

const alertKinds = {
  'signal-collapse': 'the learning signal collapsed',
  forgetting: 'what was mastered is being forgotten',
} as const;

export function alertWords({ stage, kind, family, measure, before, now, message }: Why['alerts'][number]): string {
  const where = family === null ? '' : ` in family ${family}`;
  const more = message === undefined || message === '' ? '' : `. ${message}`;
  return `Stage ${stage}: ${alertKinds[kind]}${where}: ${measure} ${scoreWords(before)} → ${scoreWords(now)}${more}`;
}

type Score = Why['alerts'][number]['before'];

/** Alerts of icecore concern shares; those of other producers may concern other numbers. */
function scoreWords(score: Score): string {
  if (typeof score !== 'number') return score.reason;
  return score >= 0 && score <= 1 ? percent(score) : numberWords(score);
}

const restsOnWords = {
  'its family': 'evidence about their own family',
  'in part': 'evidence that concerns them in part',
  'another family': 'evidence about another family',
  unknown: 'evidence that was not shown',
  nothing: 'no evidence',
  'no context': 'a context that is not recorded',
} as const;

/** `5 changes rest on: evidence about their own family (3), no evidence (2).` */
export function citationWords(changes: Why['changes']): string {
  if (changes.length === 0) return '';
  const kinds = Map.groupBy(changes, ({ restsOn }) => restsOn);
  const whole = changes.length === 1 ? 'The change rests on' : `The ${changes.length} changes rest on`;
  const found = (Object.keys(restsOnWords) as (keyof typeof restsOnWords)[]).filter((kind) => kinds.has(kind));
  const [only] = found;
  if (found.length === 1 && only !== undefined) {
    const words = restsOnWords[only];
    return `${whole} ${changes.length === 1 ? words.replace('their', 'its').replace('them', 'it') : words}.`;
  }
  return `${whole}: ${found.map((kind) => `${restsOnWords[kind]} (${kinds.get(kind)?.length})`).join(', ')}.`;
}

export function sentence(text: string): string {
  if (text === '') return '';
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** `2 KB`. */
export function bytesWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'KB'] : [bytes / 1_000_000, 'MB'];
  return `${Number(size.toPrecision(2))} ${unit}`;
}

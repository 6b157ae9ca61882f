// The verdicts a program gives, and that they can be meant: in the words of the descriptor, and of one piece.
import { canonicalJson, NotCanonical } from '../../../../schemas/canonical.ts';
import type { Descriptor } from '../../../../schemas/environment.ts';
import type { Issue } from '../../../../schemas/errors.ts';
import { nearestNames, perhaps } from '../../../../schemas/nearest.ts';
import { sentence } from '../../programs/errors.ts';
import type { Judged, Verdict } from '../verdict.ts';
import type { Fields, Program } from './program.ts';
import { type Shaped, shapes } from './shapes.ts';

type SaidVerdict = Shaped<typeof shapes.judge>['verdict'];

export class Verdicts {
  readonly #outcomes: readonly string[] | undefined;
  readonly #classes: readonly string[] | undefined;

  constructor({ outcomes, failureClasses }: Descriptor) {
    this.#outcomes = outcomes?.map(({ outcome }) => outcome);
    this.#classes = failureClasses?.map((known) => known.class);
  }

  /** The verdict in a reply to `judge`. Throws ProgramTalksNonsense. */
  read(fields: Fields, program: Program): Verdict {
    const issues = shapes.judge.issues(fields);
    if (issues.length > 0) throw strange(program, fields, issues);
    return this.sensible((fields as Shaped<typeof shapes.judge>).verdict, 'verdict', fields, program);
  }

  /** A verdict of the right shape; `at` is the field it stands in. Throws ProgramTalksNonsense. */
  sensible(said: SaidVerdict, at: string, fields: Fields, program: Program): Verdict {
    if ('spoilt' in said) return said;
    const verdict = { ...said, failures: said.failures ?? [], metrics: said.metrics ?? {} } as Judged;
    const issues = [...this.#unknownWords(verdict, at), ...contradictory(verdict, at), ...unspeakable(verdict, at)];
    if (issues.length > 0) throw strange(program, fields, issues);
    return verdict;
  }

  *#unknownWords({ outcome, failures }: Judged, at: string): Generator<Issue> {
    yield* unknown(outcome, `${at}.outcome`, this.#outcomes, 'an outcome');
    for (const [i, failure] of failures.entries())
      yield* unknown(failure.class, `${at}.failures[${i}].class`, this.#classes, 'a failure class');
  }
}

function* unknown(word: string, field: string, known: readonly string[] | undefined, what: string): Generator<Issue> {
  if (known === undefined || known.includes(word)) return;
  const near = nearestNames(word, known);
  const which = near.length > 0 ? perhaps(near) : known.join(', ');
  yield { field, found: JSON.stringify(word), allowed: `${what} of the descriptor: ${which}` };
}

function contradictory({ success, failures }: Judged, at: string): Issue[] {
  if (success === (failures.length === 0)) return [];
  const found = success ? `failures of a success` : 'no failure, and no success either';
  return [{ field: `${at}.failures`, found, allowed: 'at least one where `success` is false, otherwise none' }];
}

/** What a policy answered may have been taken over as it was: then it may be what no event can hold. */
function unspeakable(verdict: Judged, at: string): Issue[] {
  try {
    if (typeof verdict.understood === 'object' || verdict.failures.length > 0) canonicalJson(verdict);
    return [];
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return [{ field: `${at}.${error.field}`, found: error.found, allowed: 'what an event can hold' }];
  }
}

function strange(program: Program, fields: Fields, issues: readonly Issue[]): Error {
  return program.nonsense(sentence(issues), fields, issues);
}

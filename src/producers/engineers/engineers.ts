// Engineers by name: a rule, a person, a checkpoint, a model or a program, and how to open them for a run.
import { IcecoreError, UnknownName } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import { joinWithAnd } from '../../base/name-lists.ts';
import { openCommandEngineer } from '../../lab/engineers/command.ts';
import { type Engineer, humanName } from '../../lab/engineers/engineer.ts';
import { openIntrospective } from '../../lab/engineers/introspective.ts';
import { openLanguageEngineer } from '../../lab/engineers/language.ts';
import { readAnswer } from '../../lab/engineers/plugin-answer.ts';
import { engineers, ruleEngineer } from '../../lab/engineers/registry.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { exampleOf, howToConfigure, isKnownModel, knownModels, type ModelEntry } from '../../lab/models/entries.ts';
import type { Model } from '../../lab/models/model.ts';
import type { Checkpoint, Policy } from '../../lab/policies/policy.ts';
import { type AllowProgram, type CommandWords, programName } from '../../lab/programs/program.ts';
import type { EngineerEntry, Registry } from '../../lab/registry.ts';
import { modules } from '../contexts/forms.ts';
import { refuseMissing } from '../programs.ts';

/** Which checkpoint of the policy is asked: the untrained one, the current one, or the one after a stage. */
export type SnapshotAsked = 'base' | 'latest' | number;

export type EngineerChoice =
  | { readonly kind: 'rule'; readonly engineer: Engineer }
  | { readonly kind: 'plugin'; readonly entry: EngineerEntry }
  | { readonly kind: 'human' }
  | { readonly kind: 'snapshot'; readonly name: string; readonly asks: SnapshotAsked }
  | { readonly kind: 'model'; readonly entry: ModelEntry }
  | { readonly kind: 'program'; readonly command: readonly [string, ...string[]] };

/** All names of engineers. */
export function engineerNames(models: Iterable<string>, { engineers: registered }: Registered): readonly string[] {
  return [...Object.keys(engineers), ...registered.keys(), ...models];
}

type Registered = Pick<Registry, 'engineers'>;

class UnknownEngineer extends UnknownName {
  override readonly name = 'UnknownEngineer';

  constructor(word: string, known: readonly string[]) {
    const near = nearestNames(word, [...known, ...knownModels]);
    const isModel = isKnownModel(word);
    super(word, isModel ? `the model "${word}" is not configured` : `there is no engineer "${word}"`, {
      facts: { engineer: word, known, nearest: near, ...(isModel ? { excerpt: exampleOf(word) } : {}) },
      remedy: isModel
        ? howToConfigure(word)
        : didYouMean(
            near,
            `There are ${known.join(', ')} and checkpoint@K. Name a program with its interpreter, as in --engineer "python3 engineer.py". A model such as gpt is configured first: docs/models.md shows how.`,
          ),
    });
  }
}

/** Throws UnknownEngineer. */
export function chosenEngineer(
  word: string | readonly string[],
  models: ReadonlyMap<string, ModelEntry>,
  registry: Registered,
): EngineerChoice {
  if (typeof word !== 'string') return { kind: 'program', command: word as readonly [string, ...string[]] };
  const engineer = ruleEngineer(word);
  if (engineer !== null) return { kind: 'rule', engineer };
  if (word === humanName) return { kind: 'human' };
  const asks = snapshotIn(word);
  if (asks !== null) return { kind: 'snapshot', name: word, asks };
  const registered = registry.engineers.get(word);
  if (registered !== undefined) return { kind: 'plugin', entry: registered };
  const entry = models.get(word);
  if (entry === undefined) throw new UnknownEngineer(word, engineerNames(models.keys(), registry));
  return { kind: 'model', entry };
}

/** The model that is the engineer; null for other engineers. */
export function modelAsked(
  word: string | readonly string[] | null,
  models: ReadonlyMap<string, ModelEntry>,
): ModelEntry | null {
  return typeof word !== 'string' || Object.hasOwn(engineers, word) ? null : (models.get(word) ?? null);
}

function snapshotIn(word: string): SnapshotAsked | null {
  if (word === 'base') return 'base';
  if (word === 'checkpoint') return 'latest';
  const stage = /^checkpoint@([1-9][0-9]{0,4})$/.exec(word)?.[1];
  return stage === undefined ? null : Number(stage);
}

interface Workplace {
  readonly environment: Environment;
  /** Opens the policy with a checkpoint, for engineers that ask it. */
  readonly policyOf: (checkpoint: Checkpoint | null) => Promise<Policy>;
  /** The policy's model; null if it is not a model. */
  readonly spoken: Model | null;
  readonly modelOf: (name: string) => Model;
  /** Names of other engineers, which a program may not use. */
  readonly takenNames: readonly string[];
  /** The folder in which programs run. */
  readonly folder: string;
  readonly allow: AllowProgram;
  /** Plugin modules that contexts may have. */
  readonly ownModules?: readonly string[];
}

/** The run waits for a person; this engineer is never asked. */
const human: Engineer = {
  identity: { name: humanName, version: '1', reads: [...modules] },
  reads: modules,
  propose: async () => {
    throw new IcecoreError('usage', 'a person cannot be asked here', {
      remedy: 'Decide with icecore adopt, then continue with icecore resume.',
    });
  },
  close: async () => {},
};

/** Throws ProgramNotStarted if the program does not exist, and HidesNothing. */
export function openEngineer(choice: EngineerChoice, workplace: Workplace): Engineer {
  const { environment, policyOf, spoken, modelOf, takenNames, folder, allow, ownModules = [] } = workplace;
  const reads = [...modules, ...ownModules];
  const check = environment.check.bind(environment);
  switch (choice.kind) {
    case 'rule':
      return choice.engineer;
    case 'plugin':
      requireKnownTo(choice.entry, environment);
      return openedLater(choice.entry);
    case 'human':
      return { ...human, identity: { ...human.identity, reads }, reads };
    case 'model':
      return openLanguageEngineer({
        model: modelOf(choice.entry.name),
        name: choice.entry.name,
        reads,
        check,
        snapshot: () => null,
      });
    case 'program':
      refuseMissing('engineer', choice.command, folder);
      return openCommandEngineer({
        command: choice.command,
        name: nameBeside(choice.command, takenNames),
        reads,
        allow: () => allow('engineer', choice.command),
      });
    case 'snapshot':
      return spoken === null
        ? openIntrospective({ identity: choice.name, environment, policyOf })
        : openLanguageEngineer({
            model: spoken,
            name: choice.name,
            reads,
            check,
            snapshot: (checkpoint) => checkpoint,
          });
  }
}

/** An engineer that reads what an environment hides can do nothing in another one. */
function requireKnownTo({ name, upperBoundOf = [] }: EngineerEntry, { descriptor }: Environment): void {
  if (upperBoundOf.length > 0 && !upperBoundOf.includes(descriptor.environment))
    throw new HidesNothing(name, descriptor.environment, upperBoundOf);
}

class HidesNothing extends IcecoreError {
  override readonly name = 'HidesNothing';

  constructor(engineer: string, environment: string, allowed: readonly string[]) {
    const environments = joinWithAnd(allowed);
    super(
      'usage',
      `the engineer ${engineer} cannot decide in ${environment}: it reads what ${environments} hide${allowed.length === 1 ? 's' : ''}`,
      {
        facts: { engineer, environment, allowed },
        remedy: 'icecore list engineers names others.',
      },
    );
  }
}

/** A plugin's code is loaded when its engineer is asked. What it answers is read before it is used. */
function openedLater({ name, version = '1', reads, upperBoundOf = [], open }: EngineerEntry): Engineer {
  const parameters = upperBoundOf.length === 0 ? {} : { parameters: { upperBound: true } };
  let opened: ReturnType<EngineerEntry['open']> | null = null;
  return {
    identity: { name, version, reads: [...reads], ...parameters },
    reads,
    propose: async (request) => {
      opened ??= open({});
      return readAnswer(await (await opened).propose(request), request);
    },
    close: async () => await (await opened)?.close(),
  };
}

/** A program `./rules` is not the engineer `rules`. */
function nameBeside(command: CommandWords, taken: readonly string[]): string {
  const name = programName(command);
  return taken.includes(name) ? `${name}-program` : name;
}

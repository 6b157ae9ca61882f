// Parts of plugins as plain data. The code that makes ports of them is loaded when one is opened.
import type { Configuration } from '../../lab/environments/environment.ts';
import type { EngineerEntry, EnvironmentEntry, PolicyEntry, TrainerEntry } from '../../lab/registry.ts';
import type { AnyContextModuleDefinition, ContextModuleDefinition, DefinedContextModule } from './context-module.ts';
import type { AnyEngineerDefinition, EngineerDefinition } from './engineer.ts';
import type { AnyDefinition, ConfigurationOf, DefinedEnvironment, EnvironmentDefinition } from './environment.ts';
import type { AnyImporterDefinition, DefinedImporter, ImporterDefinition } from './importer.ts';
import type { AnyTrainerDefinition, TrainerDefinition } from './trainer.ts';

/** Makes an environment that a plugin can register. An entry with `open`, which returns the port, is used as it is. */
export function defineEnvironment(entry: EnvironmentEntry): EnvironmentEntry;
export function defineEnvironment<
  const Family extends string,
  const Knob extends string,
  const Outcome extends string,
  const FailureClass extends string,
  Instance extends object,
  Answer = unknown,
  const Setting extends string = never,
  const Metric extends string = never,
  const Fact extends string = never,
>(
  definition: EnvironmentDefinition<Family, Knob, Setting, Outcome, FailureClass, Metric, Fact, Instance, Answer>,
): DefinedEnvironment<ConfigurationOf<Family, Knob, Setting>>;
export function defineEnvironment(defined: EnvironmentEntry | AnyDefinition): EnvironmentEntry {
  if ('open' in defined) return defined;
  const { name, summary, usual, settings = {} } = defined;
  const optionalKnobs = Object.keys(settings).filter((setting) => settings[setting]?.optional === true);
  return {
    name,
    summary,
    ...(usual === undefined ? {} : { usual }),
    ...(optionalKnobs.length === 0 ? {} : { optionalKnobs }),
    open: async (options) => (await import('./open-environment.ts')).openDefined(defined, options),
  };
}

/** Makes a trainer that a plugin can register. An entry with `open`, which returns the port, is used as it is. */
export function defineTrainer(entry: TrainerEntry): TrainerEntry;
export function defineTrainer<State, const Hyperparameter extends string = never, Settings = Configuration>(
  definition: TrainerDefinition<State, Hyperparameter, Settings>,
): TrainerEntry;
export function defineTrainer(defined: TrainerEntry | AnyTrainerDefinition): TrainerEntry {
  if ('open' in defined) return defined;
  const { name, summary, on, environments = on === undefined ? undefined : [on.name], hyperparameters = {} } = defined;
  return {
    name,
    summary,
    ...(environments === undefined ? {} : { environments }),
    units: ['agent-steps', 'updates'],
    hyperparameters: Object.fromEntries(
      Object.entries(hyperparameters).map(([hyperparameter, { range, ...entry }]) => [
        hyperparameter,
        { ...entry, range: { min: range[0], max: range[1] } },
      ]),
    ),
    open: async (options) => (await import('./open-trainer.ts')).openDefinedTrainer(defined, options),
  };
}

/** Makes a policy that a plugin can register: a rule, or one with checkpoints of a trainer in the same plugin. `open` returns the port. */
export function definePolicy(entry: PolicyEntry): PolicyEntry {
  return entry;
}

/** Makes an engineer that a plugin can register. An entry with `open`, which returns the port, is used as it is. */
export function defineEngineer(entry: EngineerEntry): EngineerEntry;
export function defineEngineer<Settings = Configuration>(definition: EngineerDefinition<Settings>): EngineerEntry;
export function defineEngineer(defined: EngineerEntry | AnyEngineerDefinition): EngineerEntry {
  if ('open' in defined) return defined;
  const { name, version, summary, reads = [], upperBoundOf } = defined;
  return {
    ...{ name, summary, reads },
    ...(version === undefined ? {} : { version }),
    ...(upperBoundOf === undefined ? {} : { upperBoundOf }),
    open: async (options) => (await import('./open-engineer.ts')).openDefinedEngineer(defined, options),
  };
}

/** Makes a context module that a plugin can register. */
export function defineContextModule<Settings = Configuration>(
  definition: ContextModuleDefinition<Settings>,
): DefinedContextModule {
  const { name, version = '1', meaning } = definition;
  return {
    ...{ name, version, meaning },
    build: async (history, plugin) =>
      (await import('./open-context-module.ts')).contentOf(definition as AnyContextModuleDefinition, history, plugin),
  };
}

/** Makes an importer that a plugin can register. */
export function defineImporter<Settings = object>(definition: ImporterDefinition<Settings>): DefinedImporter {
  const { name, summary } = definition;
  return {
    ...{ name, summary },
    records: async function* (given, plugin) {
      const { recordsBy } = await import('./open-importer.ts');
      yield* recordsBy(definition as AnyImporterDefinition, given, plugin);
    },
  };
}

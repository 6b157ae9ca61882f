// Hyper-parameters as knobs: they join the environment's knobs for one run, so that engineers, contexts, checks and
// tables treat them like any other. In a configuration they are under `trainer`; the environment itself never sees
// them.

import { contradictions } from '../../../schemas/contradictions.ts';
import type { Knob } from '../../../schemas/environment.ts';
import { IcecoreError, type Issue } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import type { TrainerKnob } from '../../../schemas/run-file.ts';
import { checkConfiguration } from '../environments/configuration.ts';
import { BadConfiguration, type Configuration, type Environment } from '../environments/environment.ts';
import { knobValue } from '../environments/knobs.ts';

/** A hyper-parameter of a registered trainer. A run may set it, and may let the engineer change it. */
export interface HyperparameterEntry extends Omit<TrainerKnob, 'name'> {
  /** The range within which an engineer may change it, where that is narrower. */
  readonly knobRange?: TrainerKnob['range'];
}

/** Hyper-parameters by name; undefined means the default. */
export type HyperparameterValues = Readonly<Record<string, number | undefined>>;

/** Values by hyper-parameter name. */
export type Hyperparameters = Readonly<Record<string, number>>;

const place = 'trainer';

/** The knob is named `trainer.learningRate` and belongs to no family. */
function knobOf({ name, meaning, range, step, integer }: TrainerKnob): Knob {
  return {
    name: `${place}.${name}`,
    path: [place, name],
    meaning,
    family: null,
    range,
    step,
    ...(integer === undefined ? {} : { integer }),
  };
}

/** Throws BadTrainerKnobs if they are inconsistent or the environment has a setting of that name. */
export function withTrainerKnobs(environment: Environment, offered: readonly TrainerKnob[]): Environment {
  if (offered.length === 0) return environment;
  const { descriptor, start } = environment;
  const own = offered.map(knobOf);
  const begin = { [place]: Object.fromEntries(offered.map(({ name, start: value }) => [name, value])) };
  if (
    Object.hasOwn(start, place) ||
    descriptor.knobs.some(({ name, path }) => name.startsWith(`${place}.`) || path[0] === place)
  )
    throw BadTrainerKnobs.taken(descriptor.environment);
  const { sharesSum: _, ...rest } = descriptor;
  const ofTrainer = { ...rest, knobs: own };
  const [issue] = contradictions(ofTrainer, place);
  if (issue !== undefined) throw BadTrainerKnobs.contradictory(issue);
  const check = (configuration: unknown): readonly Issue[] => {
    if (!isObject(configuration)) return environment.check(configuration);
    const hyperparameters = Object.hasOwn(configuration, place) ? { [place]: configuration[place] } : {};
    return [
      ...environment.check(withoutHyperparameters(configuration)),
      ...checkConfiguration(ofTrainer, hyperparameters, begin),
    ];
  };
  const ofEnvironment = <Request extends { readonly configuration: Configuration }>(request: Request): Request => {
    const issues = check(request.configuration);
    if (issues.length > 0) throw new BadConfiguration(descriptor.environment, issues);
    return { ...request, configuration: withoutHyperparameters(request.configuration) };
  };
  return {
    ...environment,
    descriptor: { ...descriptor, knobs: [...descriptor.knobs, ...own] },
    start: { ...start, ...begin },
    check,
    async *generate(request) {
      return yield* environment.generate(ofEnvironment(request));
    },
    async *probe(request) {
      return yield* environment.probe(ofEnvironment(request));
    },
  };
}

/** The configuration that the environment gets. */
export function withoutHyperparameters(configuration: Configuration): Configuration {
  const { [place]: _, ...rest } = configuration;
  return rest;
}

/** The current values; hyper-parameters missing from the configuration have their start values. */
export function hyperparametersIn(
  configuration: Configuration,
  offered: readonly TrainerKnob[],
): Hyperparameters | undefined {
  if (offered.length === 0) return undefined;
  return Object.fromEntries(offered.map((knob) => [knob.name, knobValue(configuration, knobOf(knob)) ?? knob.start]));
}

/** Issues of a run's hyper-parameters: unknown names and values out of range. */
export function checkHyperparameters(
  given: HyperparameterValues,
  known: Readonly<Record<string, HyperparameterEntry>>,
): readonly Issue[] {
  const knobs = Object.entries(known).map(([name, entry]) => knobOf({ name, ...entry }));
  const start = usualHyperparameters(known);
  return checkConfiguration({ knobs }, { [place]: { ...start, ...given } }, { [place]: start });
}

/** The default values of hyper-parameters. */
export function usualHyperparameters(known: Readonly<Record<string, HyperparameterEntry>>): Hyperparameters {
  return Object.fromEntries(Object.entries(known).map(([name, { start }]) => [name, start]));
}

/** Adds the start values of hyper-parameters to a configuration without any. */
export function withStartingHyperparameters<Given>(
  configuration: Given,
  offered: readonly TrainerKnob[],
): Given | Configuration {
  if (offered.length === 0 || !isObject(configuration) || Object.hasOwn(configuration, place)) return configuration;
  return { ...configuration, [place]: hyperparametersIn(configuration, offered) };
}

export class BadTrainerKnobs extends IcecoreError {
  override readonly name = 'BadTrainerKnobs';

  static taken(environment: string): BadTrainerKnobs {
    const message = `the environment ${environment} has a setting "${place}", where the knobs of the trainer belong`;
    return new BadTrainerKnobs('unsupported', message, {
      facts: { environment, field: place },
      remedy: 'Rename it in the environment, or remove the knobs of the trainer.',
    });
  }

  static contradictory(issue: Issue): BadTrainerKnobs {
    const { field, found, allowed } = issue;
    const message = `${field}: found ${found}, allowed: ${allowed}`;
    return new BadTrainerKnobs('bad-input', message, { facts: { issues: [issue] } });
  }
}

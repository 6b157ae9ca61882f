// The hyper-parameters of a run that its engineer may change, from its settings, and what of them is in force.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { RunSettings, TrainerKnob } from '../../../schemas/run-file.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import { grpoKnobs } from '../../lab/trainers/grpo/settings.ts';
import { hyperparametersIn } from '../../lab/trainers/knobs.ts';

/** None where the run file asks for none. */
export function trainerKnobsOf(trainer: RunSettings['trainer']): readonly TrainerKnob[] {
  if (typeof trainer === 'string' || Array.isArray(trainer)) return [];
  if (!('name' in trainer) || trainer.name === 'external') return trainer.knobs;
  const { name: _, knobs = [], ...settings } = trainer;
  return grpoKnobs(knobs, settings);
}

type Component = NonNullable<EventData['TrainingRecorded']['trainer']>;

/** A trainer as events say it, with the hyper-parameters that a configuration sets. */
export function trainerInForce(
  component: Component,
  configuration: Configuration,
  trainer: RunSettings['trainer'],
): Component {
  const inForce = hyperparametersIn(configuration, trainerKnobsOf(trainer));
  return inForce === undefined ? component : { ...component, parameters: { ...component.parameters, ...inForce } };
}

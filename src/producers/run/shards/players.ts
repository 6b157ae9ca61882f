// Who plays, and where: all of a lab that rollouts need. What the run began with, who redesigns and who trains need not be
// at hand: a worker has neither their keys nor their programs.
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { keepingTasks } from '../../../lab/environments/caching.ts';
import type { Environment } from '../../../lab/environments/environment.ts';
import { neuralComponent } from '../../../lab/policies/neural/neural.ts';
import type { Lab } from '../lab.ts';
import { learnerOf, type Surroundings } from '../opening.ts';

export async function openPlayers(
  settings: RunSettings,
  opened: Environment,
  surroundings: Surroundings,
): Promise<Pick<Lab, 'environment' | 'learner'>> {
  const environment = keepingTasks(opened);
  const isNetwork = environment.descriptor.environment === 'lake' && !surroundings.entries.has(settings.policy);
  const policy = isNetwork ? neuralComponent : settings.policy;
  return { environment, learner: await learnerOf({ ...settings, policy }, environment, surroundings) };
}

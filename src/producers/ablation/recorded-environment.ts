// The environment of a run as far as the run recorded it. An ablation is designed with it: what the arms are follows from
// the record, and no program has to run for that.
import { checkConfiguration } from '../../lab/environments/configuration.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Replayed } from './design.ts';

/** Null where the run does not say what its environment is. */
export function recordedEnvironment({ settings, history }: Pick<Replayed, 'settings' | 'history'>): Environment | null {
  const descriptor = history.started?.data.descriptor;
  if (descriptor === undefined) return null;
  const start = settings.configuration;
  return {
    descriptor,
    start,
    suites: [],
    check: (configuration) => checkConfiguration(descriptor, configuration, start),
    generate: notHere,
    probe: notHere,
    suite: notHere,
    judge: notHere,
    rollout: notHere,
    close: async () => {},
  };
}

function notHere(): never {
  throw new Error('a recorded environment makes no tasks and judges nothing');
}

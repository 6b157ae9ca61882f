// Whether an environment still is what a run began with: whether its knobs mean what they meant, and its rollouts are read
// as they were. How it explains itself may change: a run is told of by what it recorded when it began.
import { isDeepStrictEqual } from 'node:util';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { RunHistory } from '../run/history.ts';
import { nameOf } from './stage-over.ts';

/** Where a run has not begun, anything goes. Throws EnvironmentChanged. */
export function requireSameEnvironment(history: RunHistory, { descriptor }: Pick<Environment, 'descriptor'>): void {
  const recorded = history.started?.data.descriptor;
  if (recorded === undefined) return;
  const [before, now] = [decisive(recorded), decisive(descriptor)];
  const changed = Object.keys(before).filter((key) => !isDeepStrictEqual(before[key], now[key]));
  if (changed.length > 0) throw new EnvironmentChanged(history, changed);
}

/** What changes the meaning of its knobs, or how its rollouts are read. */
export function decisive(descriptor: Descriptor): Readonly<Record<string, unknown>> {
  const { environment, version, knobs, sharesSum, families, failed, failureClass, family } = descriptor;
  return {
    environment,
    version,
    knobs: knobs.map(({ name, path, family: of, range, step, integer }) => [
      name,
      path,
      of,
      { ...range },
      step,
      integer,
    ]),
    sharesSum,
    families: families.map((one) => one.family),
    failed,
    failureClass,
    family,
  };
}

export class EnvironmentChanged extends IcecoreError {
  override readonly name = 'EnvironmentChanged';

  constructor(history: RunHistory, changed: readonly string[]) {
    const name = nameOf(history);
    super('conflict', `the environment is not what it was when ${name} began: changed is ${changed.join(', ')}`, {
      facts: { run: history.run, changed },
      remedy: 'Go on with the environment as it was, or begin another run with it as it is.',
    });
  }
}

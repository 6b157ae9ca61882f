// Whether an environment still is what a run began with: a configuration means what its descriptor says.
import { isDeepStrictEqual } from 'node:util';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { RunHistory } from '../run/history.ts';
import { nameOf } from './stage-over.ts';

/** Where a run has not begun, anything goes. Throws EnvironmentChanged. */
export function requireSameEnvironment(history: RunHistory, { descriptor }: Pick<Environment, 'descriptor'>): void {
  const before = history.started?.data.descriptor;
  if (before === undefined) return;
  const now = JSON.parse(JSON.stringify(descriptor)) as typeof before;
  if (isDeepStrictEqual(before, now)) return;
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]) as Set<keyof typeof before>;
  throw new EnvironmentChanged(
    history,
    [...keys].filter((key) => !isDeepStrictEqual(before[key], now[key])),
  );
}

export class EnvironmentChanged extends IcecoreError {
  override readonly name = 'EnvironmentChanged';

  constructor(history: RunHistory, changed: readonly string[]) {
    const name = nameOf(history);
    super('conflict', `the environment describes itself otherwise than when ${name} began: ${changed.join(', ')}`, {
      facts: { run: history.run, changed },
      remedy: 'Go on with the environment as it was, or begin another run with it as it is.',
    });
  }
}

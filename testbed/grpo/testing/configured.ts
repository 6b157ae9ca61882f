// Complete configurations from a few sizes: all other sizes have no share.
import type { Configuration } from '../../../src/lab/environments/environment.ts';
import { startConfiguration } from '../../lake/configuration.ts';

type Knobs = (typeof startConfiguration.sizes)[string];

export function configured(sizes: Readonly<Record<string, Knobs>>): Configuration {
  const others = Object.entries(startConfiguration.sizes).map(([size, knobs]) => [size, { ...knobs, data: 0 }]);
  return { agents: 2, sizes: { ...Object.fromEntries(others), ...sizes } };
}

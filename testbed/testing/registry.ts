// The registry for tests of icecore.
import type { Registry } from '../../src/lab/registry.ts';
import { registryOf } from '../../src/library/plugins/index.ts';
import { testbed } from '../plugin.ts';

export const registry: Registry = registryOf([testbed]);

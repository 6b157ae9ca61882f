import { isThorough, tries } from '../../../schemas/testing/tries.ts';
import { environmentContract } from '../environments/contract/environment-contract.ts';
import type { Environment } from '../environments/environment.ts';
import { openLake } from './environment.ts';
import { fixtureOf } from './testing/contract-fixture.ts';

/** Its suites take seconds to make, and have tests of their own. */
function opened(): Environment {
  const lake = openLake();
  return isThorough ? lake : { ...lake, suites: lake.suites.slice(0, 1) };
}

environmentContract('lake', { ...fixtureOf(async () => opened()), many: tries(200) });

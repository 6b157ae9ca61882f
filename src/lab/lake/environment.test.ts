import { tries } from '../../../schemas/testing/tries.ts';
import { environmentContract } from '../environments/contract/environment-contract.ts';
import { openLake } from './environment.ts';
import { fixtureOf } from './testing/contract-fixture.ts';

environmentContract('lake', { ...fixtureOf(async () => openLake()), many: tries(200) });

import { environmentContract } from '../environments/contract/environment-contract.ts';
import { openLake } from './environment.ts';
import { fixtureOf } from './testing/contract-fixture.ts';

environmentContract('lake', { ...fixtureOf(async () => openLake()), many: 200 });

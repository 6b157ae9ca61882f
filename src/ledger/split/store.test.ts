import { alone, ledgerContract } from '../contract/ledger-contract.ts';
import { splitFixture } from '../contract/split-fixture.ts';

ledgerContract('split, both parts in SQLite', splitFixture, alone);

import { among, ledgerContract } from '../contract/ledger-contract.ts';
import { sqliteFixture } from '../contract/sqlite-fixture.ts';

ledgerContract('SQLite', sqliteFixture, among);

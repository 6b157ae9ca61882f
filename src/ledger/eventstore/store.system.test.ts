// The EventStoreDB store fulfils the contract of all stores.
import { eventStoreFixture } from '../contract/eventstore-fixture.ts';
import { ledgerContract } from '../contract/ledger-contract.ts';

ledgerContract('EventStoreDB', eventStoreFixture);

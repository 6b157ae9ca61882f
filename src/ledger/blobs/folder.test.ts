import { blobContract } from './contract/contract.ts';
import { folderFixture } from './contract/folder-fixture.ts';

blobContract('folder', folderFixture);

import { blobContract } from './contract/contract.ts';
import { folderFixture } from './contract/fixtures.ts';

blobContract('folder', folderFixture);

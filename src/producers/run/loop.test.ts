import { everyEngineer } from './testing/loop.ts';

everyEngineer('the lake');

import { expect, it } from 'vitest';
import { TooMuchMemory } from './errors.ts';
import { questionFault } from './faults.ts';
import { scratchFault } from './scratch.ts';

// The allocator's own words name no kind, unlike what DuckDB counts against its limit.
const failedAllocation = new Error('Failed to allocate block of 812622336 bytes (bad allocation)');

it('an allocation that fails in the middle of a question is too much memory', async () => {
  const question = { sql: 'SELECT 1', path: 'tables.duckdb', memoryMegabytes: 256, names: null as never };
  expect(await questionFault(failedAllocation, question)).toBeInstanceOf(TooMuchMemory);
});

it('so it is in the scratch tables of a command', () => {
  expect(scratchFault(failedAllocation, { memoryMegabytes: 256 })).toBeInstanceOf(TooMuchMemory);
});

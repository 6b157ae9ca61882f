import { expect, it } from 'vitest';
import { TooMuchMemory } from './errors.ts';
import { questionFault } from './faults.ts';
import { scratchFault } from './scratch.ts';

// The allocator's own messages have no kind, unlike errors of DuckDB's memory limit.
const failedAllocation = new Error('Failed to allocate block of 812622336 bytes (bad allocation)');

it('a failed allocation in the middle of a query means too much memory', async () => {
  const question = { sql: 'SELECT 1', path: 'tables.duckdb', memoryMegabytes: 256, names: null as never };
  expect(await questionFault(failedAllocation, question)).toBeInstanceOf(TooMuchMemory);
});

it('a failed allocation in the scratch tables of a command means too much memory', () => {
  expect(scratchFault(failedAllocation, { memoryMegabytes: 256 })).toBeInstanceOf(TooMuchMemory);
});

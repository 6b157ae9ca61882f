import { expect, it } from 'vitest';
import { TooMuchMemory } from './errors.ts';
import { memoryFault, questionFault } from './faults.ts';
import { scratchFault } from './scratch.ts';

// The allocator's own messages have no kind, unlike errors of DuckDB's memory limit.
const failedAllocations = [
  'Failed to allocate block of 812622336 bytes (bad allocation)',
  'Allocation failure',
  'std::bad_alloc',
  'Out of Memory Error: Allocation failure',
  'Array buffer allocation failed',
];

it.each(failedAllocations)(
  'a failed allocation in the middle of a query means too much memory: %s',
  async (message) => {
    const question = { sql: 'SELECT 1', path: 'tables.duckdb', memoryMegabytes: 256, names: null as never };
    expect(await questionFault(new Error(message), question)).toBeInstanceOf(TooMuchMemory);
  },
);

it.each(failedAllocations)(
  'a failed allocation in the scratch tables of a command means too much memory: %s',
  (message) => {
    expect(scratchFault(new Error(message), { memoryMegabytes: 256 })).toBeInstanceOf(TooMuchMemory);
  },
);

it.each(failedAllocations)('a failed allocation while an answer is formatted means too much memory: %s', (message) => {
  expect(memoryFault(new Error(message), 256)).toBeInstanceOf(TooMuchMemory);
});

it.each([
  ['Table Function', 'sqlite_scan', 'sqlite_scanner'],
  ['Scalar Function', 'st_area', 'spatial'],
  ['Type', 'INET', 'inet'],
  ['Setting', 's3_region', 'httpfs'],
])('what only an extension has is refused without advice to install it: %s %s', async (kind, name, extension) => {
  const advice = `Please try installing and loading the ${extension} extension by running:\nINSTALL ${extension};`;
  const fault = {
    exception_type: 'Catalog',
    exception_message: `${kind} with name "${name}" is not in the catalog, but it exists in the ${extension} extension.\n\n${advice}`,
  };
  const question = { sql: 'FROM x', path: 'tables.duckdb', memoryMegabytes: 256, names: null as never };
  expect(await questionFault(new Error(JSON.stringify(fault)), question)).toMatchObject({
    name: 'RefusedStatement',
    message: `the ${kind.toLowerCase()} "${name}" of DuckDB's extension ${extension} is not allowed here`,
    remedy: expect.not.stringMatching(/INSTALL|LOAD|SET /),
  });
});

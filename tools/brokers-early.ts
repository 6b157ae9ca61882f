// The order of test files. Without timings of an earlier run, the largest come first, but files with a broker or a server take longest although
// they are small: one core would wait for the last of them.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export class BrokersEarly extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return brokersEarly(await super.sort(files));
  }
}

/** System tests that are small files and take longest, because they run what is defined elsewhere; brokers and computations in turn. */
const longest = [
  'src/ledger/split/store',
  'test/api',
  'test/controls',
  'test/kafka-faults',
  'src/ledger/sqlite/store',
  'src/ledger/eventstore/store',
];

/** They also wait a lot, and two at the same time would wait together, so they are spread over the first half of the others. */
export function brokersEarly<File extends { readonly moduleId: string }>(files: readonly File[]): File[] {
  const needsBroker = ({ moduleId }: File): boolean => moduleId.endsWith('.system.test.ts');
  const first = longest.flatMap((name) => files.filter(({ moduleId }) => moduleId.endsWith(`${name}.system.test.ts`)));
  const early = [...first, ...files.filter((file) => needsBroker(file) && !first.includes(file))];
  const others = files.filter((file) => !needsBroker(file));
  const stride = Math.max(1, Math.floor(others.length / 2 / early.length));
  return others.flatMap((file, index) => (index % stride === 0 ? [...early.splice(0, 1), file] : [file])).concat(early);
}

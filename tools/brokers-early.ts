// In what order test files are begun. Where no run before this one says how long each takes, the largest come first, and
// those with a broker or a server, which take longest, are among the smallest: one core would wait for the last of them.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export class BrokersEarly extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return brokersEarly(await super.sort(files));
  }
}

/** They also wait much, which two of them at once would do together: so they are spread over the first half of the others. */
export function brokersEarly<File extends { readonly moduleId: string }>(files: readonly File[]): File[] {
  const needsBroker = ({ moduleId }: File): boolean => moduleId.endsWith('.system.test.ts');
  const early = files.filter(needsBroker);
  const others = files.filter((file) => !needsBroker(file));
  const stride = Math.max(1, Math.floor(others.length / 2 / early.length));
  return others.flatMap((file, index) => (index % stride === 0 ? [...early.splice(0, 1), file] : [file])).concat(early);
}

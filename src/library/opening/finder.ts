// Finding events by id as commands do it: of ledgers that cannot, by their tables, which are brought up to date first.
import type { Ledger } from '../../ledger/ledger.ts';
import type { EventFinder } from '../../projections/finding.ts';
import type { Session } from '../session.ts';

const limits = { seconds: 60, memoryMegabytes: 1024 };

export async function withFinder<Result>(
  session: Session,
  ledger: Ledger,
  body: (finder: EventFinder) => Promise<Result>,
): Promise<Result> {
  const projections = await import('../../projections/finding.ts');
  const finder = new projections.EventFinder(ledger, async (ask) => {
    const { withQuestions } = await import('../../projections/asking.ts');
    const { tablesFolder, withTablesProgress } = await import('./tables.ts');
    const folder = tablesFolder(session, ledger);
    await withTablesProgress(session, ledger, (options, isThrough) =>
      withQuestions(ledger, folder, limits, options, async (questions) => {
        await isThrough();
        await ask(questions);
      }),
    );
  });
  try {
    return await body(finder);
  } finally {
    await finder.close();
  }
}

// Finds the run that a command names. The start of a name is enough; then a note says which run was meant. The name of an ablation leads
// to the command that shows it.
import type { Ledger } from '../ledger/ledger.ts';
import { findRun, type RunFound } from '../ledger/runs.ts';
import { withAblationHint } from './ablation/recorded.ts';
import type { Session } from './session.ts';

/** Throws RunNotFound, RunAmbiguous. */
export async function runNamed(session: Session, ledger: Ledger, text: string): Promise<RunFound> {
  const found = await withAblationHint(ledger, () => findRun(ledger, text));
  await notePartOfName(session, text, found);
  return found;
}

/** The name may also be that of an ablation. */
export async function notePartOfName(
  session: Session,
  text: string,
  { run, name }: Pick<RunFound, 'run' | 'name'>,
): Promise<void> {
  if (text === name || run.startsWith(text) || !name.startsWith(text)) return;
  await session.notify({ kind: 'note', text: `${text}: taken as ${name}` });
}

// A module of a context: how it reads, and what of it can be cited, with the events that stand behind.
import type { ContextModule } from '../../lab/engineers/engineer.ts';
import type { Sheet } from '../summaries/sheet.ts';

export interface Module extends ContextModule {
  readonly sheet: Sheet;
  /** The events an evidence id stands for. */
  readonly events: (evidenceId: string) => readonly string[];
}

// What the prompt asks of the command around it. The desk knows ledgers, tables and formats; the prompt knows keys.
import type { Completion } from '../../../projections/query/questions.ts';

export interface Settings {
  /** One of the desk's formats. */
  readonly format: string;
  /** How many rows of a result are shown at most; null for all. */
  readonly rows: number | null;
}

export interface Desk {
  /** In the order in which they are offered. */
  readonly formats: readonly string[];
  /** Those the prompt begins with. */
  readonly settings: Settings;
  /** Brings the tables up to date, runs the statement and writes what it gives. Throws an IcecoreError, or whatever it likes
   * when the signal asked it to stop. */
  ask(sql: string, settings: Settings, signal: AbortSignal): Promise<void>;
  /** What the text could go on with. */
  complete(text: string): Promise<readonly Completion[]>;
  /** The tables, as text to be printed. */
  tables(): Promise<string>;
  /** The columns of one table or of all, as text to be printed. */
  schema(name: string | null): Promise<string>;
}

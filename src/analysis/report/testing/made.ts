// The report of a handwritten run in all its formats.
import { parseHTML } from 'linkedom';
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { Report } from '../../../../schemas/report-output.ts';
import { markdownText } from '../../../document/markdown.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { findRun } from '../../../ledger/runs.ts';
import { readRun } from '../../../producers/history/reading.ts';
import { places } from '../../../producers/testing/places.ts';
import type { Recording } from '../../history/testing/recording.ts';
import type { RegistryToDraw } from '../../why/rollouts.ts';
import { writeEvidence } from '../../why/testing/evidence-run.ts';
import { reportDocument, reportHtml } from '../document.ts';
import { reportOf } from '../report.ts';

interface Made {
  readonly report: Report;
  readonly html: string;
  readonly md: string;
  /** The visible text, without the tables of charts. */
  readonly text: string;
}

export async function textOf(text: { readonly text: string } | { readonly blob: string }): Promise<string | null> {
  return 'text' in text ? text.text : null;
}

interface Making {
  readonly all?: boolean;
  /** Also write the rollouts that the run's summaries name, with these fields. */
  readonly withEvidence?: boolean | Partial<EventData['RolloutRecorded']>;
  /** Has the environments that draw pictures. */
  readonly registry?: RegistryToDraw;
  /** Writes further events. */
  readonly also?: (ledger: Ledger, run: string) => Promise<void>;
}

export async function made(
  recording: Recording,
  { all = false, withEvidence = false, registry, also }: Making = {},
): Promise<Made> {
  const { ledger } = await places();
  await recording.writeTo(ledger);
  if (withEvidence !== false) await writeEvidence(ledger, recording.run, withEvidence === true ? {} : withEvidence);
  await also?.(ledger, recording.run);
  const read = await readRun(ledger, await findRun(ledger, recording.run));
  const options = { by: '0.1.0', at: '2026-07-02T08:00:00.000Z', all, textOf };
  const report = await reportOf(ledger, read, registry === undefined ? options : { ...options, registry });
  const html = reportHtml(report);
  const { document } = parseHTML(html);
  for (const one of document.querySelectorAll('style, svg, details')) one.remove();
  return { report, html, md: markdownText(reportDocument(report)), text: plain(document.body.textContent) };
}

export function plain(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}

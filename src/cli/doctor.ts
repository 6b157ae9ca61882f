// What `icecore doctor` prints: a line for each check.
import type { Check } from '../../schemas/output.ts';
import { type Document, marked, table } from '../document/document.ts';
import { type DoctorOptions, doctor as examine } from '../library/doctor.ts';
import type { FormatOption } from '../library/plugins/command.ts';
import type { Context } from './context.ts';
import { printDocument, requireOneForm } from './output/print.ts';
import { typedHere } from './program.ts';

export async function doctor(context: Context, options: DoctorOptions & FormatOption): Promise<number> {
  requireOneForm(context, options);
  const report = await examine(context.session, options);
  if (context.flags.json) await context.printJson(report);
  else await printDocument(context, checksDocument(report.rows, context.io), options);
  return report.status === 'failed' ? 1 : 0;
}

function checksDocument(checks: readonly Check[], io: Context['io']): Document {
  const marks = { ok: 'good', warning: 'warning', failed: 'bad' } as const;
  const foundText = ({ found, remedy }: Check): string =>
    remedy === '' ? found : `${found}. ${typedHere(remedy, io)}`;
  return {
    title: null,
    blocks: [
      table(checks, [
        { title: '', cell: ({ status }) => [marked(marks[status], status)] },
        { title: '', cell: ({ name }) => name },
        { title: '', wraps: true, cell: foundText },
      ]),
    ],
    sections: [],
  };
}

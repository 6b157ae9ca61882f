// How the run was made, and how a reader can check the report against the ledger.
import type { Report } from '../../../schemas/report-output.ts';
import { counted } from '../../base/quantity.ts';
import {
  type Block,
  code,
  codeBlock,
  facts,
  paragraph,
  quiet,
  type Section,
  section,
  type Text,
} from '../../document/document.ts';
import { runFacts } from '../history/run-document.ts';
import { isBlind, momentWords } from './words.ts';

export function madeSection({ run }: Report): Section {
  return section(
    'How it was made',
    [
      facts([
        ['run', run.name === run.run ? run.run : `${run.name} (${run.run})`],
        ['started', run.at === null ? null : `${momentWords(run.at)} UTC`],
        ...runFacts(run).map(
          ([name, text]): Row =>
            name === 'context' && isBlind(run) ? [name, `${text}; the engineer does not use it`] : [name, text],
        ),
      ]),
    ],
    { id: 'made' },
  );
}

type Row = readonly [term: string, text: Text];

/** By id, because names may repeat. A fork depends on the history of its parent. */
function verified({ run, parent }: Report['run']): readonly string[] {
  return parent?.isThere === true ? [run, parent.run] : [run];
}

export function checkSection({ run, ledger, end, story }: Report): Section {
  const head = ledger.head;
  const decisions = story.flatMap(({ stage, decision: { adopted, proposal, context } }): Row[] => {
    const events = Object.entries({ adoption: adopted, proposal, context: context?.event ?? null });
    const words = events.flatMap(([what, found], i) =>
      found === null ? [] : [`${i === 0 ? '' : ', '}${what} `, code(found.event)],
    );
    return words.length === 0 ? [] : [[`stage ${stage}`, words]];
  });
  const blocks: readonly Block[] = [
    paragraph(
      'Everything above is computed from recorded events. With the ledger at hand, this checks that they are as they were recorded, and recomputes the results:',
    ),
    codeBlock(
      verified(run)
        .map((one) => `icecore verify ${one} --recompute`)
        .join('\n'),
    ),
    ...(end === null
      ? []
      : [
          paragraph(
            'The digest of the last event covers every decision before it, and each decision covers its evidence. In the same ledger, or in an unaltered copy, the digest is the same:',
          ),
          codeBlock(`icecore event show ${end.stream}@${end.revision}\n${end.digest}`),
        ]),
    facts([
      ['ledger', [code(ledger.id), ` with ${counted(ledger.events, 'event')}`]],
      ['head', head === null ? [quiet('left out, because the ledger is long; icecore ledger head prints it')] : null],
    ]),
    ...(head === null
      ? []
      : [
          paragraph(
            'The head of the whole ledger when this report was made. Save it as ',
            code('head.json'),
            ', and ',
            code('icecore verify --head head.json'),
            ' detects whether anything was altered, reordered or removed since:',
          ),
          codeBlock(JSON.stringify(head, null, 2)),
        ]),
    ...(decisions.length === 0
      ? []
      : [
          paragraph('The events of each decision; ', code('icecore event show ID'), ' prints them in full:'),
          facts(decisions),
        ]),
  ];
  return section('How to check it', blocks, { id: 'check' });
}

// How the run was made, and how whoever reads of it can check it against its ledger.
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
        ['begun', run.at === null ? null : `${momentWords(run.at)} UTC`],
        ...runFacts(run).map(
          ([name, text]): Row =>
            name === 'context' && isBlind(run) ? [name, `${text}; the engineer reads none of it`] : [name, text],
        ),
      ]),
    ],
    { id: 'made' },
  );
}

type Row = readonly [term: string, text: Text];

/** By identity, which nothing else is called by; a fork rests on its parent's history. */
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
      'Everything above was computed from events that cannot be changed unnoticed. Where the ledger is, this checks the run, and computes again what follows from what was recorded before:',
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
            'The last event of the run vouches for every decision before it, and these for the evidence they name. In the same ledger, or an honest copy of it, its digest is the same:',
          ),
          codeBlock(`icecore event show ${end.stream}@${end.revision}\n${end.digest}`),
        ]),
    facts([
      ['ledger', [code(ledger.id), ` with ${counted(ledger.events, 'event')}`]],
      ['head', head === null ? [quiet('the ledger is long: icecore ledger head makes one')] : null],
    ]),
    ...(head === null
      ? []
      : [
          paragraph(
            'The head of the whole ledger at that time. Kept as ',
            code('head.json'),
            ', it lets ',
            code('icecore verify --head head.json'),
            ' tell whether anything was altered, reordered or cut off since:',
          ),
          codeBlock(JSON.stringify(head, null, 2)),
        ]),
    ...(decisions.length === 0
      ? []
      : [
          paragraph('The events of each decision, which ', code('icecore event show ID'), ' shows in full:'),
          facts(decisions),
        ]),
  ];
  return section('How to check it', blocks, { id: 'check' });
}

// How the run was made, and how whoever reads of it can check it against its ledger.
import type { Report } from '../../../../schemas/report-output.ts';
import { type Block, code, paragraph, type Section, soft, type Words } from '../document.ts';
import { amount, counted, isBlind, momentWords } from './words.ts';

type Row = readonly [term: string, words: Words];

export function madeSection({ run }: Report): Section {
  const { asked } = run;
  const rows: readonly (readonly [string, string | null])[] = [
    ['run', run.name === run.run ? run.run : `${run.name} (${run.run})`],
    ['begun', run.at === null ? null : `${momentWords(run.at)} UTC`],
    ['environment', componentWords(asked.environment)],
    ['policy', componentWords(asked.policy)],
    ['trainer', componentWords(asked.trainer)],
    ['engineer', engineerWords(asked.engineer)],
    [
      'form',
      asked.form === null
        ? null
        : `${asked.form.name === null ? '' : `${asked.form.name}: `}${asked.form.modules.join(', ')}${isBlind(run) ? '; the engineer reads none of it' : ''}`,
    ],
    [
      'budget',
      asked.budget === null
        ? null
        : `${Object.entries(asked.budget)
            .map(([unit, size]) => `${amount(size)} ${unit}`)
            .join(', ')} a stage`,
    ],
    ['seed', asked.seed === null ? null : String(asked.seed)],
    ['benchmarks', asked.suites === null || asked.suites.length === 0 ? null : asked.suites.join(', ')],
    ['parent', run.parent === null ? null : `${run.parent.name}@${run.parent.stage}`],
    ['code', codeWords(asked.code)],
    ['imported from', asked.source],
    ['tags', run.tags.length === 0 ? null : run.tags.join(', ')],
  ];
  const told = rows.flatMap(([term, text]): Row[] => (text === null ? [] : [[term, [text]]]));
  return { id: 'made', title: 'How it was made', blocks: [{ kind: 'facts', rows: told }], sections: [] };
}

function componentWords(component: Report['run']['asked']['policy']): string | null {
  if (component === null) return null;
  const { name, version, parameters = {} } = component;
  const simple = Object.entries(parameters).filter(([, value]) =>
    ['number', 'string', 'boolean'].includes(typeof value),
  );
  const settings = simple.length === 0 ? '' : `: ${simple.map(([key, value]) => `${key} ${value}`).join(', ')}`;
  return `${name}${version === undefined ? '' : ` ${version}`}${settings}`;
}

function engineerWords(engineer: Report['run']['asked']['engineer']): string | null {
  if (engineer === null) return null;
  const { model, reads } = engineer;
  const asks = model === undefined ? '' : `; asks ${model}`;
  const sees = reads === undefined ? '' : reads.length === 0 ? '; blind to context' : `; reads ${reads.join(', ')}`;
  return `${componentWords(engineer) ?? ''}${asks}${sees}`;
}

function codeWords(code: Report['run']['asked']['code']): string | null {
  if (code === null) return null;
  const commit = code.commit === null ? '' : ` at ${code.commit.slice(0, 12)}`;
  return `icecore ${code.version}${commit}${code.modified === true ? ', modified' : ''}`;
}

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
    {
      kind: 'code',
      text: verified(run)
        .map((one) => `icecore verify ${one} --recompute`)
        .join('\n'),
    },
    ...(end === null
      ? []
      : [
          paragraph(
            'The last event of the run vouches for every decision before it, and these for the evidence they name. In the same ledger, or an honest copy of it, its digest is the same:',
          ),
          { kind: 'code', text: `icecore event show ${end.stream}@${end.revision}\n${end.digest}` } as const,
        ]),
    {
      kind: 'facts',
      rows: [
        ['ledger', [code(ledger.id), ` with ${counted(ledger.events, 'event')}`]],
        ...(head === null ? [['head', [soft('the ledger is long: icecore ledger head makes one')]] as Row] : []),
      ],
    },
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
          { kind: 'code', text: JSON.stringify(head, null, 2) } as const,
        ]),
    ...(decisions.length === 0
      ? []
      : [
          paragraph('The events of each decision, which ', code('icecore event show ID'), ' shows in full:'),
          { kind: 'facts', rows: decisions } as const,
        ]),
  ];
  return { id: 'check', title: 'How to check it', blocks, sections: [] };
}

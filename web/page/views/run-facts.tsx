// How a run was made, its benchmarks and notes, and commands about it.

import type { RunShown } from '../../../schemas/run-output.ts';
import { CopyLine } from '../menu.tsx';
import { Moment, Plain, Rate } from '../parts.tsx';
import { shellWord } from '../place.ts';
import { hrefOf } from '../router.ts';
import { rateSource } from '../sources.ts';
import { amountsWords } from '../words.ts';

export function Made({ run }: { readonly run: RunShown }) {
  const rows = factsOf(run).filter((row): row is [string, string] => row[1] !== null);
  return (
    <section aria-labelledby="made">
      <h2 id="made">How it was made</h2>
      <dl class="facts">
        {rows.map(([name, text]) => (
          <>
            <dt>{name}</dt>
            <dd>
              <Plain text={text} limit={2_000} />
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function factsOf({ run, asked, parent }: RunShown): readonly (readonly [string, string | null])[] {
  const { environment, engineer, form, policy, trainer, programs, budget, seed, suites, unrecorded, code, source } =
    asked;
  return [
    ['identity', run],
    ['environment', componentWords(environment)],
    ['engineer', engineerWords(engineer)],
    ['context', form === null ? null : [form.name, form.modules.join(' + ')].filter((one) => one !== null).join(': ')],
    ['policy', componentWords(policy)],
    ['trainer', componentWords(trainer)],
    ...programs.map(({ role, command }) => [`${role} program`, command.join(' ')] as const),
    ['budget of a stage', budget === null ? null : amountsWords(budget)],
    ['seed', seed === null ? null : String(seed)],
    ['suites', suites === null || suites.length === 0 ? null : suites.join(', ')],
    ['rollouts', unrecorded],
    ['parent', parent === null ? null : `${parent.name}, whose history through stage ${parent.stage} it shares`],
    [
      'code',
      code === null
        ? null
        : `icecore ${code.version}${code.commit === null ? '' : ` at ${code.commit.slice(0, 12)}`}${code.modified === true ? ', modified' : ''}`,
    ],
    ['imported from', source],
  ];
}

type Component = RunShown['asked']['policy'];

function componentWords(component: Component): string | null {
  if (component === null) return null;
  const { name, version, parameters = {} } = component;
  const simple = Object.entries(parameters).filter(([, value]) =>
    ['number', 'string', 'boolean'].includes(typeof value),
  );
  const settings = simple.length === 0 ? '' : ` (${simple.map(([key, value]) => `${key} ${value}`).join(', ')})`;
  return `${name}${version === undefined ? '' : ` ${version}`}${settings}`;
}

function engineerWords(engineer: RunShown['asked']['engineer']): string | null {
  if (engineer === null) return null;
  const { model, reads } = engineer;
  const asks = model === undefined ? '' : `, model ${model}`;
  const sees = reads === undefined ? '' : reads.length === 0 ? ', reads no context' : `, reads ${reads.join(', ')}`;
  return `${componentWords(engineer) ?? ''}${asks}${sees}`;
}

interface OfRun {
  readonly run: RunShown;
  readonly of: string;
}

export function Benchmarks({ run, of }: OfRun) {
  const { benchmarks } = run;
  if (benchmarks.length === 0) return null;
  return (
    <section aria-labelledby="benchmarks">
      <h2 id="benchmarks">Benchmarks</h2>
      <p class="quiet">Engineers never see these results, so they influence no decision.</p>
      <section class="scroll" aria-label="Benchmarks" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">suite</th>
              <th scope="col">after stage</th>
              <th scope="col">valid rate</th>
              <th scope="col">optimal rate</th>
            </tr>
          </thead>
          <tbody>
            {benchmarks.map(({ suite, stage, ...rates }) => (
              <tr key={`${suite} ${stage}`}>
                <th scope="row">
                  <Plain text={suite} limit={60} />
                </th>
                <td>{stage === null ? 'none' : <a href={hrefOf('run', `${of}@${stage}`)}>{stage}</a>}</td>
                {(['valid', 'optimal'] as const).map((measure) => (
                  <td key={measure}>
                    <Rate
                      rate={rates[measure]}
                      source={
                        stage === null
                          ? undefined
                          : rateSource({ run: of, id: run.run, stage, measure, split: 'test', suite })
                      }
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

export function Notes({ run, of }: OfRun) {
  const { notes } = run;
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">Notes</h2>
      {notes.length === 0 ? (
        <p class="quiet">
          Nobody has written a note. <CopyLine text={`icecore annotate ${shellWord(of)} "what I see"`} what="command" />
        </p>
      ) : (
        <ul class="notes">
          {notes.map(({ event, says, actor, at, stage, knob, tags }) => (
            <li key={event}>
              <Plain text={says} limit={2_000} />{' '}
              <span class="quiet">
                {stage !== null && (
                  <>
                    on <a href={hrefOf('run', `${of}@${stage}`)}>stage {stage}</a>
                    {knob === null ? '' : `, ${knob}`},{' '}
                  </>
                )}
                {actor}, <Moment at={at} />
                {tags.length === 0 ? '' : `, ${tags.join(', ')}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function Commands({ run, of }: OfRun) {
  const last = run.stages.at(-1)?.stage ?? 1;
  const isOwn = run.asked.source === null && run.asked.policy !== null;
  const commands = [
    ...(run.state === 'stopped' || run.failure?.resumable === true ? [`icecore resume ${shellWord(of)}`] : []),
    `icecore show ${shellWord(of)}`,
    `icecore why ${shellWord(`${of}@${last}`)}`,
    `icecore report ${shellWord(of)}`,
    // A run that another program recorded can be neither forked nor replayed.
    ...(isOwn
      ? [`icecore fork ${shellWord(`${of}@${last}`)} --engineer rules`, `icecore ablate ${shellWord(of)}`]
      : []),
    `icecore verify ${shellWord(of)}${isOwn ? ' --recompute' : ''}`,
  ];
  return (
    <section aria-labelledby="commands">
      <h2 id="commands">Commands</h2>
      <ul class="commands">
        {commands.map((command) => (
          <li key={command}>
            <CopyLine text={command} what="command" />
          </li>
        ))}
      </ul>
    </section>
  );
}

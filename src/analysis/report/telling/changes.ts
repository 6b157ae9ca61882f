// The changes of a decision, row by row: what was turned, the reason that was given, the evidence it cites and what it is
// worth, and what its family did then. Knobs of one family that were turned for one reason share a row.
import type { Told } from '../../../../schemas/report-output.ts';
import type { WhyChange, WhyEvidence } from '../../../../schemas/why-output.ts';
import { capital, numberWords } from '../../../../web/charts/words.ts';
import { type ChangeRow, code, type Inline, soft, strong, type Words, warning } from '../document.ts';
import { courseWords, familyWords, figureWords, stepsWords, turnWords } from './words.ts';

export function changeRows(told: Told): readonly ChangeRow[] {
  const said = new Set<string | null>();
  const lots = Map.groupBy(told.changes, ({ family, says, cites }) => JSON.stringify([family, says, cites]));
  return Array.from(lots.values(), (lot) => {
    const [first] = lot;
    const family = first?.family ?? null;
    const isNew = !said.has(family);
    said.add(family);
    return {
      change: lot.map(changeWords),
      reason: [first?.says == null ? [soft('none given')] : [`“${first.says}”`]],
      evidence: first === undefined ? [] : evidenceLines(first),
      afterwards: isNew ? effectLines(told, family) : [[soft('as above')]],
    };
  });
}

function changeWords({ knob, from, to, steps, makes, clamps }: WhyChange): Words {
  const beside = [steps === null ? '' : stepsWords(steps), makes ?? ''].filter((word) => word !== '');
  const clamped = clamps.map(({ proposed, used, rule }) =>
    warning(` clamped: ${numberWords(proposed)} was proposed, ${numberWords(used)} is used (${rule})`),
  );
  const turn = ` ${turnWords({ from, to })}`;
  return [strong(knob), turn, ...(beside.length === 0 ? [] : [soft(` (${beside.join(', ')})`)]), ...clamped];
}

const mostCited = 5;

function evidenceLines({ evidence, verdict, restsOn }: WhyChange): readonly Words[] {
  const lines = evidence.slice(0, mostCited).map(evidenceWords);
  const more = evidence.length > mostCited ? [[soft(`and ${evidence.length - mostCited} more evidence ids`)]] : [];
  const isSound = restsOn === 'its family' && verdict.startsWith('rests');
  return [...lines, ...more, ...(isSound && lines.length > 0 ? [] : [[warning(capital(verdict))]])];
}

function evidenceWords(one: WhyEvidence): Words {
  const told = one.figure === null ? rolloutWords(one) : ` ${figureWords(one.evidenceId, one.figure)}`;
  const strange = one.concerns === 'another family' ? [warning(`, of ${familyWords(one.family)}`)] : [];
  const missing: readonly Inline[] = one.note === null ? [] : [warning(` ${one.note}`)];
  return [code(one.evidenceId), told, ...strange, ...missing];
}

function rolloutWords({ exemplars, family, text }: WhyEvidence): string {
  if (exemplars.length > 0) return ` a rollout${family === null ? '' : ` of family ${family}`}, drawn below`;
  const [line = ''] = (text ?? '').split('\n');
  return line === '' ? '' : ` ${line}`;
}

function effectLines({ effects }: Told, family: string | null): readonly Words[] {
  const effect = effects.find((one) => one.family === family);
  if (effect === undefined) return [[soft('nothing is known')]];
  const whose = family === null ? 'All families' : `Family ${family}`;
  return [
    [`${whose}: `, ...courseWords(effect.validation)],
    ...(effect.signal.gain === null ? [] : [['Learning signal: ', ...courseWords(effect.signal, 'unjudged')]]),
  ];
}

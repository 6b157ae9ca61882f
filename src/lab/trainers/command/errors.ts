// What can go wrong with a program that trains. Each error says how far it came and carries what there is of the training:
// a curve that broke off is worth recording, and what was saved can be gone on from.
import type { ErrorKind } from '../../../../schemas/errors.ts';
import { describeExit, type Exit, excerpt, ProgramFault, type Witness } from '../../programs/errors.ts';
import type { Trained } from '../trainer.ts';
import type { Misspoken } from './messages.ts';

export class TrainingFault extends ProgramFault {
  override readonly name: string = 'TrainingFault';
  readonly partial: Trained;

  constructor(
    kind: ErrorKind,
    witness: Witness,
    what: string,
    partial: Trained,
    facts: Record<string, unknown>,
    remedy: string,
  ) {
    const step = partial.curve.at(-1)?.step ?? null;
    const saved = partial.checkpoint?.reference ?? null;
    const further =
      saved === null ? 'Nothing was saved: it begins anew.' : `It goes on from ${saved} when it is asked again.`;
    const after = step === null ? 'before its first update' : `after update ${step}`;
    super(
      kind,
      witness,
      `${what} ${after}`,
      { ...facts, exit: partial.exit ?? null, step, saved },
      `${remedy} ${further}`.trim(),
    );
    this.partial = partial;
  }
}

export class TrainingDied extends TrainingFault {
  override readonly name = 'TrainingDied';

  constructor(witness: Witness, exit: Exit, partial: Trained) {
    super('unavailable', witness, describeExit(exit), partial, {}, '');
  }
}

/** It ended as if all were well, and never said so. */
export class TrainingNotDone extends TrainingFault {
  override readonly name = 'TrainingNotDone';

  constructor(witness: Witness, partial: Trained) {
    const remedy = 'The last line of a training is {"done": {...}}: see docs/trainers.md.';
    super('bad-input', witness, 'ended without saying that it was done', partial, {}, remedy);
  }
}

export class TrainingSilent extends TrainingFault {
  override readonly name = 'TrainingSilent';

  constructor(witness: Witness, limitMs: number, partial: Trained) {
    const what = `made no progress for ${limitMs / 1000} s and was stopped`;
    const remedy =
      'If an update takes longer, raise the time limit; if it prints, make it flush its output after every line.';
    super('unavailable', witness, what, partial, { limitMs }, remedy);
  }
}

export class TrainingTalksNonsense extends TrainingFault {
  override readonly name = 'TrainingTalksNonsense';

  constructor(witness: Witness, { message, issues }: Misspoken, said: string, partial: Trained) {
    const facts = { said: excerpt(said), ...(issues.length > 0 ? { issues } : {}) };
    const remedy = 'What may be said is in docs/trainers.md; everything else may be any text that is no such object.';
    super('bad-input', witness, `told of what is not allowed (${message})`, partial, facts, remedy);
  }
}

// Tools for the code of a plugin: threads, work in order, random numbers, digests, the input of a command, formatting of numbers
// and texts, statistics, and the ports to implement.

export { escapeControls, escapeControlsInLines } from '../../base/escape.ts';
export { forEachIn, mapInOrder } from '../../base/in-order.ts';
export { type Env, hasColours, paintFor } from '../../base/paint.ts';
export { escapeControlsInJson, jsonText } from '../../base/printable-json.ts';
export { count, counted, duration, money, shortNumber } from '../../base/quantity.ts';
export { NotRegularFile, readRegularFile } from '../../base/regular-file.ts';
export { shellWord } from '../../base/shell-word.ts';
export { truncateText } from '../../base/terminal.ts';
export { moduleBeside, startThread, ThreadDied, Threads } from '../../base/threads.ts';
export { writeWhole } from '../../base/write-whole.ts';
export { abortable } from '../../lab/environments/abortable.ts';
export { withEveryFamily } from '../../lab/environments/configuration.ts';
export * from '../../lab/environments/environment.ts';
export type { EvaluateRequest, Evaluation, Pool, Subject } from '../../lab/evaluation/evaluate.ts';
export type { Evaluated } from '../../lab/evaluation/judged.ts';
export { type Json, jsonIn, type SpokenText, withoutThoughts } from '../../lab/models/answers.ts';
export * from '../../lab/policies/policy.ts';
export { Random } from '../../lab/random.ts';
export type { AuditedTraining, TrainerAudit, TrainingFigures } from '../../lab/registry.ts';
export { confidence, type Interval, wilson } from '../../lab/statistics/distributions.ts';
export { type Achieved, type Difference, paired } from '../../lab/statistics/pairs.ts';
export type { TrainingFault } from '../../lab/trainers/command/messages.ts';
export * from '../../lab/trainers/trainer.ts';
export { budgetText } from '../experiment/budget.ts';
export { jsonIn as jsonFileIn } from '../experiment/json-file.ts';
export type { NamedPolicy } from '../experiment/policies.ts';
export type { FolderTrained, OpenTraining } from '../experiment/train.ts';
export { refuseToOverwrite } from '../place/files.ts';
export { type InputLine, inputLines, jsonFaultIn, type LineFault, openSource, type Source } from './source.ts';

// What the heavy code of a plugin is written with: threads, work in order, random numbers, digests, and the ports it fills.
export { inOrder } from '../../base/in-order.ts';
export { NotRegularFile, readRegularFile } from '../../base/regular-file.ts';
export { moduleBeside, startThread, ThreadDied, Threads } from '../../base/threads.ts';
export { writeWhole } from '../../base/write-whole.ts';
export { abortable } from '../../lab/environments/abortable.ts';
export { checkConfiguration } from '../../lab/environments/configuration.ts';
export * from '../../lab/environments/environment.ts';
export { type Json, jsonIn, withoutThoughts } from '../../lab/models/answers.ts';
export * from '../../lab/policies/policy.ts';
export { Random } from '../../lab/random.ts';
export type { AuditedTraining, TrainerAudit, TrainingFigures } from '../../lab/registry.ts';
export * from '../../lab/trainers/trainer.ts';

// Sends queries to a query process as the command does.
import type { Sample } from '../../../../projections/query/testing/tables.ts';
import type { Written } from '../../formats/batches.ts';
import type { Format } from '../../formats/write.ts';
import type { AnswerRequest } from '../messages.ts';
import type { QuestionProcess } from '../question-process.ts';

export const limits = { memoryMegabytes: 256, seconds: 2, diskMegabytes: 16 };

export function requestFor({ path }: Sample, sql: string, format: Format = 'csv', asked = limits): AnswerRequest {
  const layout = { isTTY: false, columns: 80, colours: false, limit: null, asOf: '', behind: 0, unknown: 0, more: '' };
  return { request: 'answer', tables: { path }, limits: asked, sql, format, layout };
}

export async function textOf(process: QuestionProcess, request: AnswerRequest): Promise<string> {
  const pieces: Uint8Array[] = [];
  await process.ask(request, new AbortController().signal, async (bytes) => void pieces.push(bytes));
  return Buffer.concat(pieces).toString();
}

export function written(
  process: QuestionProcess,
  request: AnswerRequest,
  take: (bytes: Uint8Array) => Promise<void> = async () => undefined,
  signal = new AbortController().signal,
): Promise<Written> {
  return process.ask(request, signal, take);
}

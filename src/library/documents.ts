// Results as documents, which `icecore/document` renders for a terminal, in Markdown and as a page. Each import is loaded on demand.
import type { Ablated, AblationPlan } from '../../schemas/ablation-output.ts';
import type { Audit } from '../../schemas/audit-output.ts';
import type { AdoptResult, ProposeResult } from '../../schemas/by-hand-output.ts';
import type { Compared } from '../../schemas/compare-output.ts';
import type { Headroom } from '../../schemas/headroom-output.ts';
import type { Report } from '../../schemas/report-output.ts';
import type { DiffResult, RunShown, StageShown } from '../../schemas/run-output.ts';
import type { Why } from '../../schemas/why-output.ts';
import type { Document } from '../document/document.ts';

/** How much of a result a document contains: an answer of one screen, or everything. */
export interface DocumentOptions {
  /** Include everything, not only the answer. */
  readonly verbose?: boolean;
}

/** For `runDocument` and `stageDocument`. */
export interface ShowDocumentOptions extends DocumentOptions {
  /** What is not shown, and why. */
  readonly note?: string;
}

/** A run, from the result of `show`. */
export async function runDocument(
  run: RunShown,
  { note = '', verbose = false }: ShowDocumentOptions = {},
): Promise<Document> {
  if (verbose) return (await import('../analysis/history/run-document.ts')).runDocument(run, note);
  return (await import('../analysis/history/run-answer.ts')).runAnswer(run, note);
}

/** A stage, from the result of `show`. */
export async function stageDocument(
  stage: StageShown,
  { note = '', verbose = false }: ShowDocumentOptions = {},
): Promise<Document> {
  if (verbose) return (await import('../analysis/history/stage-document.ts')).stageDocument(stage, note);
  return (await import('../analysis/history/run-answer.ts')).stageAnswer(stage, note);
}

/** Explains why a stage was configured as it was, from the result of `why`. */
export async function whyDocument(why: Why, { verbose = false }: DocumentOptions = {}): Promise<Document> {
  if (!verbose) return (await import('../analysis/why/answer.ts')).whyAnswer(why);
  return (await import('../analysis/why/document.ts')).whyDocument(why);
}

/** All decisions of a run, from the result of `audit`. */
export async function auditDocument(audit: Audit): Promise<Document> {
  return (await import('../analysis/why/audit.ts')).auditDocument(audit);
}

/** The differences between two stages, from the result of `diff`. */
export async function diffDocument(diff: DiffResult, { verbose = false }: DocumentOptions = {}): Promise<Document> {
  if (!verbose) return (await import('../analysis/history/difference-answer.ts')).diffAnswer(diff);
  return (await import('../analysis/history/difference-document.ts')).diffDocument(diff);
}

/** Runs side by side, from the result of `compare`. */
export async function compareDocument(
  compared: Compared,
  { verbose = false }: DocumentOptions = {},
): Promise<Document> {
  if (!verbose) return (await import('../analysis/compare/answer.ts')).compareAnswer(compared);
  return (await import('../analysis/compare/document.ts')).compareDocument(compared);
}

/** An engineer's proposal or the reason there is none, from the result of `propose`. */
export async function proposalDocument(proposed: ProposeResult): Promise<Document> {
  return (await import('../analysis/history/decision-document.ts')).proposalDocument(proposed);
}

/** The decision on the next stage, from the result of `adopt`. */
export async function adoptedDocument(adopted: AdoptResult): Promise<Document> {
  return (await import('../analysis/history/decision-document.ts')).adoptedDocument(adopted);
}

/** The results of an ablation, from `ablate` or `ablation`. */
export async function ablationDocument(ablated: Ablated, { verbose = false }: DocumentOptions = {}): Promise<Document> {
  if (!verbose) return (await import('../analysis/ablation/view/answer.ts')).ablationAnswer(ablated);
  return (await import('../analysis/ablation/view/document.ts')).ablationDocument(ablated);
}

/** The results of an ablation as one HTML page. */
export async function ablationPage(ablated: Ablated): Promise<string> {
  return (await import('../analysis/ablation/view/document.ts')).ablationHtml(ablated);
}

/** What an ablation would do, from the result of `planAblation`. */
export async function planDocument(plan: AblationPlan): Promise<Document> {
  return (await import('../analysis/ablation/view/plan.ts')).planDocument(plan);
}

/** How much a good decision could gain, from the result of `headroom`. */
export async function headroomDocument(headroom: Headroom): Promise<Document> {
  return (await import('../analysis/ablation/headroom.ts')).headroomDocument(headroom);
}

/** Everything about a run, from the result of `report`. */
export async function reportDocument(report: Report): Promise<Document> {
  return (await import('../analysis/report/document.ts')).reportDocument(report);
}

/** A report as one HTML page. */
export async function reportPage(report: Report): Promise<string> {
  return (await import('../analysis/report/document.ts')).reportHtml(report);
}

// What `icecore/document` exports: results for people as data, and how they are drawn for a terminal, in Markdown and as a page.
export * from './curve.ts';
export * from './document.ts';
export { percent } from './figures.ts';
export type { PageNames } from './html.ts';
export type { Surface } from './layout.ts';
export { markdownText } from './markdown.ts';
export { type Terminal, terminalText } from './terminal.ts';
export * from './training.ts';

/** As one HTML page. */
export async function htmlText(...of: Parameters<typeof import('./html.ts').htmlText>): Promise<string> {
  return (await import('./html.ts')).htmlText(...of);
}

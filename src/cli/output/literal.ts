// What people and models wrote means itself in Markdown, here as in reports.
export { literal } from '../../base/literal.ts';

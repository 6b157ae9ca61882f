// What steers a terminal is shown as an escape instead, here as in all else that people and models read.
export { escaped, visible, visibleLines } from '../../base/visible.ts';

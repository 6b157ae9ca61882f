// Which key does what to the text, as people know it from shells: the arrows, and what Emacs has taught everybody.
import {
  cutTo,
  type Edit,
  left,
  lineEnd,
  lineRest,
  lineStart,
  right,
  textEnd,
  textStart,
  wordLeft,
  wordRight,
} from './text.ts';

export const moves: Readonly<Record<string, Edit>> = {
  left,
  right,
  home: lineStart,
  end: lineEnd,
  'ctrl-b': left,
  'ctrl-f': right,
  'ctrl-a': lineStart,
  'ctrl-e': lineEnd,
  'ctrl-left': wordLeft,
  'ctrl-right': wordRight,
  'meta-left': wordLeft,
  'meta-right': wordRight,
  'meta-b': wordLeft,
  'meta-f': wordRight,
  'ctrl-home': textStart,
  'ctrl-end': textEnd,
};

type Cut = ReturnType<typeof cutTo>;

/** Gone for good: one character. */
export const deletions: Readonly<Record<string, Cut>> = {
  backspace: cutTo(left),
  'ctrl-h': cutTo(left),
  delete: cutTo(right),
  'ctrl-d': cutTo(right),
};

/** What these take out, Ctrl-Y puts back. */
export const cuts: Readonly<Record<string, Cut>> = {
  'ctrl-u': cutTo(lineStart),
  'ctrl-k': cutTo(lineRest),
  'ctrl-w': cutTo(wordLeft),
  'ctrl-backspace': cutTo(wordLeft),
  'meta-backspace': cutTo(wordLeft),
  'meta-d': cutTo(wordRight),
  'ctrl-delete': cutTo(wordRight),
};

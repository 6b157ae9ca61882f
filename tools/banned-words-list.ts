// Words and phrases that icecore does not use, each with a replacement. A word with another, legitimate meaning is listed only if a pattern can
// distinguish the two.

export interface BannedWord {
  readonly word: string;
  readonly instead: string;
  /** In texts. */
  readonly pattern?: RegExp;
  /** In paths. */
  readonly inFileNames?: RegExp;
}

const phrases: Readonly<Record<string, string>> = {
  'where chance comes from': 'random seed',
  'words to find it by': 'tags',
  'goes on from': 'resumes from',
  'nothing is heard of': 'lease timeout',
  'others conduct': 'run a rollout worker',
  'decide anew': 'replay decisions',
  'vouch for': 'seal',
  'at most so many': 'maximum number of',
  'for want of': 'truncated, for lack of',
  'the best first': 'sorted by mean',
  'told apart': 'significant, distinguished',
  'against each other': 'compare',
  'hold against': 'compare with',
  'held against': 'compared with',
  'of two minds': 'uncertain',
  'on what it rests': 'evidence',
  manieth: 'every 256th',
  'lies to': 'compares with',
  'of one that': 'name the subject first',
  'of no use': 'say what is wrong',
  'so many': 'a number, or the number of',
  'by lot': 'at random',
  'is had': 'is acquired',
  'is gone on with': 'is resumed',
  besides: 'also, other than',
  beforehand: 'before, in advance',
  lies: 'is',
  'carried over': 'errored',
  'spend cap': 'spending cap',
};

const words: Readonly<Record<string, string>> = {
  told: 'render, conclusions, said, or what is told',
  conduct: 'orchestrate',
  conductor: 'orchestrator',
  rederive: 'recompute',
  stumble: 'TransientError',
  patiently: 'retry',
  spool: 'staging',
  shelf: 'blob backend',
  clerk: 'line worker',
  crew: 'worker pool',
  duty: 'job',
  foreman: 'generator thread',
  desk: 'line processor',
  bell: 'stream signal',
  workshop: 'session, run options',
  manner: 'options, or the noun for what it holds',
  carryOn: 'resume',
  'carry-on': 'resume',
  group_name: 'family',
  'held-back': 'probe-holdout',
  turned: 'changed',
  lane: 'partition, worker queue',
};

/** In identifiers of every style: `lane`, `lanes`, `laneOf`, `openLanes`, `Lane`, `MAX_LANES`; never `plane`. */
function wordPattern(word: string): RegExp {
  const [first = '', rest = ''] = [word.slice(0, 1), word.slice(1)];
  const capital = first.toUpperCase() + rest;
  const forms = [
    `(?<![A-Za-z])${word}(?:s|ed|ing)?(?![a-z])`,
    `(?<![A-Z])${capital}(?:s|ed|ing)?(?![a-z])`,
    `(?<![A-Za-z])${word.toUpperCase()}S?(?![A-Za-z])`,
  ];
  return new RegExp(forms.join('|'), 'g');
}

/** Also where a line ends within the phrase, in a comment too. */
function phrasePattern(phrase: string): RegExp {
  return new RegExp(`\\b${phrase.replaceAll(' ', '[\\s/*#]+')}\\b`, 'gi');
}

const bareParticiples = 'asked|told|shown|known|kept|wanted|about|manner|says|together|visible|entry|listed|sibling';

export const bannedWords: readonly BannedWord[] = [
  ...Object.entries(phrases).map(([word, instead]) => ({ word, instead, pattern: phrasePattern(word) })),
  ...Object.entries(words).map(([word, instead]) => ({ word, instead, pattern: wordPattern(word) })),
  {
    word: 'home',
    instead: 'workspace',
    // Not a user's home folder, nor DuckDB's setting and Linux paths that name one.
    pattern: /(?<![A-Za-z~/])[hH]ome(?![ _](?:folder|directory))(?![a-z])|(?<=[a-z])Home(?![a-z])|ICECORE_HOME/g,
  },
  {
    word: 'stands',
    instead: 'is',
    // Not the text in the seeds of lakes, which every generated lake depends on.
    pattern: /\bstands\b(?! in'\])/gi,
  },
  {
    word: 'stretch',
    instead: 'range',
    // Not the metric of the lake: the cost of a plan as a multiple of the minimal cost.
    pattern: /(?<!path |'|`|_| {2}|; )(?<![A-Za-z])stretch(?:es)?(?![a-z:])|Stretch(?:es)?(?![a-z])/g,
  },
  {
    word: 'Wanted',
    instead: 'options, or FooQuery',
    pattern: /(?<=[a-z])Wanted(?![a-z])|\b(?:interface|type|class) Wanted\b/g,
  },
  {
    word: 'a bare participle as a name',
    instead: 'a noun for a value, a verb for a function',
    pattern:
      /\b(?:interface|type|class|function) (?:[Aa]sked|[Tt]old|[Ss]hown|[Kk]nown|[Kk]ept|[Aa]bout|[Aa]t|[Ss]ays)\b/g,
    inFileNames: new RegExp(`(?:^|[/-])(?:${bareParticiples})(?:[./]|$)`),
  },
];

// The modules that a context may have, for engineers that can make use of any.

/** All of them, in the order in which a context has them. */
export const contextModules = [
  'objective',
  'guideline',
  'training',
  'stats',
  'behaviour',
  'failures',
  'history',
  'self-summary',
] as const;

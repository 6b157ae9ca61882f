// Two policies that tried the same tasks once each: only tasks on which one succeeded and the other failed tell them apart.
// If neither were better, each of these would be as likely to fall to the one as to the other.

/** How likely so uneven a count is by chance alone: exact, for tasks on which the one was better, and the other. */
export function mcnemar(better: number, worse: number): number {
  const of = better + worse;
  const fewer = Math.min(better, worse);
  let logChoose = 0;
  let sum = 0;
  for (let k = 0; k <= fewer; k++) {
    sum += Math.exp(logChoose - of * Math.LN2);
    logChoose += Math.log((of - k) / (k + 1));
  }
  return Math.min(1, 2 * sum);
}

/** Measures two things in turn, so that what else the machine does falls on both alike. */

export interface Alternated {
  readonly figures: readonly number[];
  readonly references: readonly number[];
}

/**
 * Runs both `runs` times; each goes first in every other round.
 */
export async function alternate(
  runs: number,
  measure: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<Alternated> {
  const figures: number[] = [];
  const references: number[] = [];
  for (let run = 0; run < runs; run++) {
    if (run % 2 === 0) references.push(await reference());
    figures.push(await measure());
    if (run % 2 === 1) references.push(await reference());
  }
  return { figures, references };
}

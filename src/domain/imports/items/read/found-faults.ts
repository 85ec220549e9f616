/** Collects the problems of one row, and what is not known of the row because of them. */
import { MAX_ROW_PROBLEMS, type RowProblem } from '../../../kernel/row-problem.js';
import type { ItemDraft } from './item-draft.js';

/** What is not known of a row because of a problem: the values that it sets or, besides, the category that it names. */
export type Unknown = 'values' | 'place';

export class FoundFaults {
  #problems: RowProblem[] | null = null;
  #knowsPlace = true;
  #knowsValues = true;

  reset(): void {
    this.#problems = null;
    this.#knowsPlace = true;
    this.#knowsValues = true;
  }

  /** @param unknown what is not known of the row because of the problem */
  add(problem: RowProblem, unknown?: Unknown): void {
    if (unknown !== undefined) this.#knowsValues = false;
    if (unknown === 'place') this.#knowsPlace = false;
    if (this.#problems === null) this.#problems = [problem];
    else if (!this.areEnough) this.#problems.push(problem);
  }

  get problems(): RowProblem[] | null {
    return this.#problems;
  }

  /** Whether there are more problems than are reported, so that the rest of the row need not be read. */
  get areEnough(): boolean {
    return this.#problems !== null && this.#problems.length > MAX_ROW_PROBLEMS;
  }

  /** As a draft has them; null: the row has no problems. */
  ofDraft(): ItemDraft['faults'] {
    const problems = this.#problems;
    return problems === null ? null : { problems, knowsPlace: this.#knowsPlace, knowsValues: this.#knowsValues };
  }
}

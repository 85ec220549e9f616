/** Finds the attributes whose options are the values of a column. */
import { attributeKey } from '../../kernel/attribute-key.js';
import type { Target, Targets } from './targets.js';

/** Options of all attributes that are compared. */
const MOST_OPTIONS = 200_000;
/** Of an attribute with more options, a column of any values has some. */
const MOST_OF_ATTRIBUTE = 1_000;
/** A column with fewer values has options of many attributes by chance. */
const LEAST_VALUES = 3;
const LEAST_SHARE = 0.8;

export interface ValueMatch {
  readonly target: Target;
  readonly shared: number;
  readonly share: number;
}

export class OptionValues {
  readonly #byValue = new Map<string, Target[]>();

  /** @param pause is called often */
  async prepare({ all }: Targets, pause: () => Promise<void>): Promise<void> {
    let left = MOST_OPTIONS;
    for (const target of all) {
      const options = target.definition?.type === 'OPTIONS' ? (target.definition.options ?? []) : [];
      if (options.length === 0 || options.length > MOST_OF_ATTRIBUTE || options.length > left) continue;
      left -= options.length;
      for (const option of options) {
        const key = attributeKey(option);
        const known = this.#byValue.get(key);
        if (known === undefined) this.#byValue.set(key, [target]);
        else known.push(target);
      }
      await pause();
    }
  }

  /** The attribute that has the most of the values first. */
  matching(values: readonly string[]): readonly ValueMatch[] {
    if (values.length < LEAST_VALUES || values.length > MOST_OF_ATTRIBUTE || this.#byValue.size === 0) return [];
    const counts = new Map<Target, number>();
    for (const value of values) {
      for (const target of this.#byValue.get(attributeKey(value)) ?? []) {
        counts.set(target, (counts.get(target) ?? 0) + 1);
      }
    }
    return [...counts]
      .map(([target, shared]) => ({ target, shared, share: shared / values.length }))
      .filter(({ share, shared }) => share >= LEAST_SHARE && shared >= LEAST_VALUES)
      .sort((a, b) => b.share - a.share);
  }
}

/** Categories of which nothing tells whether a sign within them separates the levels of a path. */
import type { DefinitionCategory } from '../../catalog/site-definitions.js';
import { partsOf, SEPARATORS } from '../../inspection/columns/separators.js';
import { quoted } from '../../kernel/value-problem.js';
import { categoryPaths } from './category-paths.js';

export interface DoubtfulPaths {
  readonly sign: string;
  /** Whether the catalog has categories that the values name if the sign divides them, and fewer if it does not. */
  readonly isKnown: boolean;
  readonly reason: string;
}

/** At least this share of the values has the sign. */
const LEAST_SHARE = 0.5;

/** Undefined: no value has such a sign, or too few have. */
export function mayBePaths(
  values: readonly string[],
  places: ReadonlyMap<string, DefinitionCategory>,
): DoubtfulPaths | undefined {
  const known = (separator: string) =>
    categoryPaths(values, { steps: [{ step: 'path', separator }], split: undefined }, places).paths.filter(
      ({ category }) => category !== undefined,
    ).length;
  const asNames = categoryPaths(values, { steps: [], split: undefined }, places).paths;
  const knownNames = asNames.filter(({ category }) => category !== undefined).length;
  // Names that the catalog has are names.
  if (knownNames === asNames.length) return undefined;
  const signs = SEPARATORS.filter(({ inPaths }) => inPaths !== 'never').flatMap(({ sign }) => {
    const divided = values.filter((value) => partsOf(value, sign).length > 1);
    const [example] = divided;
    return example !== undefined && divided.length >= values.length * LEAST_SHARE ? [{ sign, example }] : [];
  });
  const found = signs.find(({ sign }) => known(sign) > knownNames);
  if (found !== undefined) {
    const { sign, example } = found;
    const reason = `The catalog has categories that the values name if ${quoted(sign)} separates the levels of a path, as in ${quoted(example)}.`;
    return { sign, isKnown: true, reason };
  }
  const [first] = signs;
  if (first === undefined) return undefined;
  const { sign, example } = first;
  const parts = partsOf(example, sign).map((part) => quoted(part));
  const reason = `Each value is read as the name of a top category, also ${quoted(example)}: nothing tells whether ${quoted(sign)} separates the levels of a path (${parts.join(', then ')}). If it does, give the column the step "path" with this separator.`;
  return { sign, isKnown: false, reason };
}

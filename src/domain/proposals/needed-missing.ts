/** Of what a proposal lists as missing, what an edited profile still needs: it lists what each reading would need. */
import { placeKey } from '../catalog/categories/category-places.js';
import { placeOfPath } from '../catalog/categories/place-of-path.js';
import { attributeKey } from '../kernel/attribute-key.js';

/** The parts of a profile that say what it fills. */
interface Filling {
  readonly columns: readonly {
    readonly to: string | null;
    readonly constant?: string | undefined;
    readonly steps?: readonly ({ readonly step: 'default'; readonly value: string } | { readonly step: string })[];
  }[];
}

interface Missing<Attribute> {
  readonly attributes: readonly Attribute[];
  readonly options: readonly { readonly attribute: string; readonly values: readonly (string | number)[] }[];
  readonly categories: readonly string[];
  readonly assignments: readonly { readonly category: string; readonly attributes: readonly string[] }[];
  /** Those of `categories` that only a step `default` names. */
  readonly categoriesOfDefaults?: readonly string[] | undefined;
}

const CATEGORY_KEYS: ReadonlySet<string> = new Set(['category node', 'hierarchy node']);

/** Without attributes that no rule fills, and without categories that no row can name nor are above such a one. */
export function neededMissing<Attribute extends { readonly name?: string | null | undefined }>(
  missing: Missing<Attribute>,
  { columns }: Filling,
): Missing<Attribute> {
  const filled = new Set(columns.flatMap(({ to }) => (to === null ? [] : [attributeKey(to)])));
  const rule = columns.find(({ to }) => to !== null && CATEGORY_KEYS.has(attributeKey(to)));
  const named = rule?.constant === undefined ? undefined : namesOf(rule.constant);
  const defaults = (rule?.steps ?? []).flatMap((step) => ('value' in step ? [namesOf(step.value)] : []));
  const ofDefaults = new Set((missing.categoriesOfDefaults ?? []).map((category) => placeKey(namesOf(category))));
  const isNamed = (category: string) => {
    const names = namesOf(category);
    const isAbove = (other: readonly string[]) => placeKey(other.slice(0, names.length)) === placeKey(names);
    if (rule === undefined || (named !== undefined && !isAbove(named))) return false;
    return !ofDefaults.has(placeKey(names)) || named !== undefined || defaults.some(isAbove);
  };
  const isFilled = (name: string) => filled.has(attributeKey(name));
  return {
    attributes: missing.attributes.filter(({ name }) => isFilled(name ?? '')),
    options: missing.options.filter(({ attribute }) => isFilled(attribute)),
    categories: missing.categories.filter(isNamed),
    assignments: missing.assignments
      .filter(({ category }) => isNamed(category))
      .map(({ category, attributes }) => ({ category, attributes: attributes.filter(isFilled) }))
      .filter(({ attributes }) => attributes.length > 0),
  };
}

/** The names of a path below the root; none if it is no path. */
function namesOf(path: string): readonly string[] {
  const place = placeOfPath(path, 'PRIMARY', 'path');
  return 'code' in place ? [] : place.names;
}

/** Reads one element of a bulk category request, or of a JSON file of categories. */
import { z } from 'zod';
import { withoutAddedFields } from '../../formats/model/added-columns.js';
import { isId } from '../../kernel/identifier.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { describeJson } from '../../kernel/value-problem.js';
import { plainNumbers } from '../../kernel/written-number.js';
import { explainIssues, type KnownFields } from '../types/explain-issues.js';
import { fieldInvalid } from '../types/field-invalid.js';
import { NODE_ID } from './alternate-path.js';
import type { CategoryInput, CategoryPlace, GivenAssignment } from './category-input.js';
import { categoryElementSchema } from './category-input.js';
import type { CategoryReference } from './find-category.js';
import { checkCategoryName, given, placeOfPath } from './place-of-path.js';

type CategoryElement = z.infer<typeof categoryElementSchema>;

const KNOWN_FIELDS: KnownFields = {
  '': Object.keys(categoryElementSchema.shape),
  itemAttributes: ['attributeId', 'name', 'mandatory'],
};

/**
 * Returns the element as an input, or all its problems, whose `column` names the field.
 * @param json parsed JSON; it may contain WrittenNumbers
 */
export function parseCategoryInput(json: unknown): CategoryInput | RowProblem[] {
  const plain = plainNumbers(json);
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    const message = `the element is ${describeJson(plain)}; each must be an object such as {"name":"Disk","parentNodeName":"Storage"}`;
    return [{ code: 'ROW_NOT_OBJECT', column: null, message }];
  }
  const element = withoutAddedFields(plain);
  const parsed = categoryElementSchema.safeParse(element);
  if (!parsed.success) {
    const issues = explainIssues(parsed.error.issues, json, KNOWN_FIELDS);
    // A field that is not known may be meant for the place.
    const isMisspelt = parsed.error.issues.some(({ code, path }) => code === 'unrecognized_keys' && path.length === 0);
    const placed = placeSchema.safeParse(element);
    if (isMisspelt || !placed.success) return issues;
    const misplaced: RowProblem[] = [];
    const place = placeOfElement(placed.data, misplaced);
    if (place === undefined || misplaced.length > 0) return [...misplaced, ...issues];
    const listed = listSchema.safeParse(element);
    const attributes = listed.success ? assignmentsOf(listed.data.itemAttributes, issues) : undefined;
    return { place, attributes, problems: issues };
  }
  const problems: RowProblem[] = [];
  const place = placeOfElement(parsed.data, problems);
  const isPlaced = place !== undefined && problems.length === 0;
  const attributes = assignmentsOf(parsed.data.itemAttributes, problems);
  if (!isPlaced) return problems;
  const order = orDefault(parsed.data.order, 0);
  const active = orDefault(parsed.data.active, true);
  return problems.length > 0 ? { place, order, active, attributes, problems } : { place, order, active, attributes };
}

/** The fields that say which category an element is about. */
const placeSchema = z.object({
  name: categoryElementSchema.shape.name,
  path: categoryElementSchema.shape.path,
  parentNodeName: categoryElementSchema.shape.parentNodeName,
  parentNodeId: categoryElementSchema.shape.parentNodeId,
  parentId: categoryElementSchema.shape.parentId,
  type: categoryElementSchema.shape.type,
});
type PlaceFields = z.infer<typeof placeSchema>;
const listSchema = z.object({ itemAttributes: categoryElementSchema.shape.itemAttributes });

/** Undefined leaves a field as it is; null sets its default. */
function orDefault<T>(given: T | null | undefined, standard: T): T | undefined {
  return given === null ? standard : given;
}

function placeOfElement(element: PlaceFields, problems: RowProblem[]): CategoryPlace | undefined {
  const { path, name, parentNodeName, type } = element;
  const tree = type ?? 'PRIMARY';
  const note = <T extends object>(result: T | RowProblem): T | undefined => {
    if (!('code' in result)) return result;
    problems.push(result);
    return undefined;
  };
  const reference = parentReference(element, problems);
  if (given(path)) {
    if (!given(name) && !given(parentNodeName) && reference === undefined) return note(placeOfPath(path, tree, 'path'));
    problems.push(fieldInvalid('path', 'contains the name and the parent: leave out their fields', path));
    return undefined;
  }
  const own = given(name) ? checkCategoryName(name, 'name') : nameRequired();
  if (typeof own === 'object') {
    problems.push(own);
    return undefined;
  }
  if (reference !== undefined) {
    if (!given(parentNodeName)) return { parent: reference, name: own };
    problems.push(fieldInvalid('parentNodeName', 'names the parent a second time: leave one out', parentNodeName));
    return undefined;
  }
  if (!given(parentNodeName)) return { tree, names: [own] };
  const parent = note(placeOfPath(parentNodeName, tree, 'parentNodeName'));
  return parent && { tree, names: [...parent.names, own] };
}

function parentReference(
  { parentNodeId, parentId }: PlaceFields,
  problems: RowProblem[],
): CategoryReference | undefined {
  if (given(parentNodeId) && given(parentId)) {
    problems.push(fieldInvalid('parentId', 'names the parent a second time: leave one out', parentId));
  }
  const [field, reference] = given(parentNodeId) ? ['parentNodeId', parentNodeId] : ['parentId', parentId];
  if (!given(reference)) return undefined;
  const text = String(reference).toLowerCase();
  if (isId(text)) return { id: text };
  if (NODE_ID.test(text)) return { nodeId: Number(text) };
  problems.push(fieldInvalid(String(field), 'is neither a node id nor an id of 24 characters', reference));
  return undefined;
}

function assignmentsOf(
  listed: CategoryElement['itemAttributes'],
  problems: RowProblem[],
): readonly GivenAssignment[] | undefined {
  if (listed === undefined) return undefined;
  return (listed ?? []).flatMap((entry, index): GivenAssignment[] => {
    const { attributeId, name, mandatory } = entry;
    if (given(attributeId) !== given(name)) {
      const attribute = given(attributeId) ? { id: attributeId } : { name: name ?? '' };
      return [{ attribute, mandatory: mandatory ?? false }];
    }
    problems.push(fieldInvalid(`itemAttributes[${index}]`, 'must name the attribute by name or by attributeId'));
    return [];
  });
}

function nameRequired(): RowProblem {
  return { code: 'NAME_REQUIRED', column: 'name', message: 'the category has no name; every category needs one' };
}
